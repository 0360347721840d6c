import type { Request, Response } from 'express';
import { corsHeaders, isPreflight, preflightHeaders } from 'operation-rest';

/** For git in a browser. It sends its token itself, and no cookie is a credential. */
const cors = {
  origins: '*' as const,
  methods: ['GET', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'Git-Protocol'],
  exposeHeaders: ['Retry-After', 'WWW-Authenticate', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  maxAgeSeconds: 86_400,
};

/** Lets git in a browser read the response. Returns whether the request was a preflight, which is answered. */
export function allowGitPages(request: Request, response: Response): boolean {
  response.set(corsHeaders(cors, request.headers.origin));
  if (!isPreflight(request)) return false;
  response.status(204).set(preflightHeaders(cors, [])).end();
  return true;
}
