import express, { type Request, type RequestHandler, type Response } from 'express';
import { documentOf } from '../../pages/document.tsx';
import { SignInPage } from '../../pages/hosting/oauth.tsx';
import type { Visitor } from '../../pages/visitor.ts';
import type { PageAdmission } from '../page-admission.ts';
import { pathOf } from '../request-target.ts';
import type { BrowserSessions, SessionOptions } from './browser-session.ts';
import {
  authorizationRequest,
  authorizePage,
  connectionPage,
  devicePage,
  notice,
  type PageOutcome,
  type PageRequest,
  signedInPage,
} from './oauth-pages.ts';
import { deviceEndpoint, type Parameters, tokenEndpoint } from './token-endpoint.ts';

/** Longest body, in bytes. The limit of Node.js for headers bounds the query. */
const maxBytes = 16 * 1024;

export interface OauthOptions extends SessionOptions {
  pageAdmissions: PageAdmission;
  sessions: BrowserSessions;
}

type Page = (request: PageRequest) => Promise<PageOutcome>;

/** The pages and endpoints by which users authorize apps. Passes every other request on. */
export function oauthHandler(options: OauthOptions): RequestHandler {
  const { sessions } = options;
  const parsers = [
    express.urlencoded({ extended: false, limit: maxBytes }),
    express.json({ limit: maxBytes, type: 'application/json' }),
  ];
  const endpoints = new Map([
    ['/login/oauth/access_token', tokenEndpoint],
    ['/login/device/code', deviceEndpoint],
  ]);

  const show = async (request: Request, response: Response, page: Page): Promise<void> => {
    const query = queryOf(request);
    const sent = request.method === 'POST' ? bodyOf(request) : undefined;
    if (!query || (request.method === 'POST' && !sent)) return send(response, ambiguous);
    if (sent && !isSameOrigin(request, options.origin(request))) return send(response, foreign);
    if (sent?.action === 'sign-in') {
      if (!(await sessions.signIn(request, response, sent.token?.trim() ?? '')))
        return send(response, signIn(request, true));
      return response.redirect(303, request.originalUrl);
    }
    const session = await sessions.find(request);
    if (!session) return send(response, signIn(request, false));
    if (sent && !sessions.isFormOf(request, sent.form_token)) return send(response, foreign);
    if (sent?.action === 'sign-out') {
      sessions.signOut(request, response);
      return response.redirect(303, request.originalUrl);
    }
    send(response, await page({ request, response, session, query, form: sent }), { login: session.login });
  };

  const authorize = async (request: Request, response: Response): Promise<void> => {
    const query = queryOf(request);
    const asked = query && (await authorizationRequest(await options.context(request), query));
    // Before anybody signs in: nobody is sent to an address that the app has not registered.
    if (!asked) return send(response, query ? unknownClient : ambiguous);
    return show(request, response, page => authorizePage(page, asked));
  };

  return async (request, response, next) => {
    const path = pathOf(request.originalUrl);
    const { method } = request;
    const endpoint = endpoints.get(path);
    const [, clientId] = /^\/settings\/connections\/applications\/([\w.-]{1,64})$/.exec(path) ?? [];
    const isPage =
      clientId !== undefined || path === '/login' || path === '/login/device' || path === '/login/oauth/authorize';
    if (!(endpoint && method === 'POST') && !(isPage && ['GET', 'HEAD', 'POST'].includes(method))) return next();
    await options.pageAdmissions.admit(request, response);
    if (method === 'POST') await parse(parsers, request, response);
    if (endpoint) {
      const parameters = bodyOf(request);
      if (parameters) await endpoint(options, request, response, parameters);
      else response.status(400).json({ error: 'invalid_request', error_description: 'A parameter is repeated.' });
    } else if (clientId !== undefined) await show(request, response, page => connectionPage(page, clientId));
    else if (path === '/login') await show(request, response, signedInPage);
    else if (path === '/login/device') await show(request, response, devicePage);
    else await authorize(request, response);
  };
}

const signIn = ({ originalUrl }: Request, isRefused: boolean): PageOutcome => ({
  page: SignInPage({
    problem: isRefused ? 'This token is not valid, or it lacks the scope user.' : undefined,
    grants: !/^\/login(?:\?|$)/.test(originalUrl),
  }),
  status: isRefused ? 422 : 200,
});
const ambiguous = notice('The request cannot be served', 'A parameter is repeated, or is no text.', 400);
const foreign = notice('The form is not valid', 'It was made for another session. Load the page again.', 403);
const unknownClient = notice(
  'The app cannot be authorized',
  'No app has this client_id, or the redirect_uri is not the one that it registered.',
  404,
);

async function parse(parsers: readonly RequestHandler[], request: Request, response: Response): Promise<void> {
  for (const parser of parsers) {
    await new Promise<void>((resolve, reject) => {
      parser(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
  }
}

/** Parameters of the query: all that follows the first question mark, others included. */
function queryOf({ originalUrl }: Request): Parameters | undefined {
  return parametersOf([...new URLSearchParams(originalUrl.slice(pathOf(originalUrl).length))]);
}

/** Parameters of a parsed body. */
const bodyOf = ({ body }: Request): Parameters | undefined => parametersOf(Object.entries(body ?? {}));

/** Undefined where a parameter is repeated or is no text (RFC 6749, section 3.1). */
function parametersOf(entries: readonly [string, unknown][]): Parameters | undefined {
  const parameters: Record<string, string> = Object.create(null);
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || value.includes('\0') || name in parameters) return undefined;
    if (value !== '') parameters[name] = value;
  }
  return parameters;
}

/** Browsers state the origin of each form. A client that states none is no browser, and has no cookie of one. */
const isSameOrigin = ({ headers: { origin } }: Request, own: string): boolean => origin === undefined || origin === own;

function send(response: Response, outcome: PageOutcome, visitor: Visitor = {}): void {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' });
  if ('redirectTo' in outcome) {
    response.redirect(302, outcome.redirectTo);
    return;
  }
  const target = outcome.formTarget === undefined ? '' : ` ${outcome.formTarget}`;
  response
    .status(outcome.status ?? 200)
    .set(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'${target}; base-uri 'none'; frame-ancestors 'none'`,
    )
    .type('html')
    .send(documentOf(outcome.page, visitor));
}
