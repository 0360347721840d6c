import type { ErrorRequestHandler, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { corsHeaders, endResponse, isPreflight, ProblemError, preflightHeaders } from 'operation-rest';
import type { ErrorCode } from '../errors/codes.ts';
import type { GraphqlServer } from './apollo-server.ts';
import type { GraphqlEntryPoint } from './graphql-admission.ts';
import { graphqlBody, maxBodyBytes, unreadableBodyMessage } from './graphql-body.ts';
import type { LargeGraphqlBodies } from './large-graphql-body.ts';
import type { Logger } from './logger.ts';
import { requestStateOf } from './request-state.ts';
import { pathOf } from './request-target.ts';

export interface GraphqlHandlerOptions {
  /** The server of the graph; that of a view is made by its first request. */
  server(): GraphqlServer;
  entryPoint: GraphqlEntryPoint;
  largeBodies: LargeGraphqlBodies;
  logger: Logger;
  /** Web origins allowed by CORS. */
  origins: '*' | string[];
}

/** Handler of `/graphql` and `/api/graphql`: JSON in and out, Apollo Sandbox for browsers. Every error has the shape of GraphQL. */
export function graphqlHandler({
  server,
  entryPoint,
  largeBodies,
  logger,
  origins,
}: GraphqlHandlerOptions): (RequestHandler | ErrorRequestHandler)[] {
  return [
    crossOrigin(origins),
    onlyGetAndPost,
    negotiate,
    entryPoint.middleware,
    sandbox,
    onlyJsonBodies,
    graphqlBody(largeBodies),
    execution(server, entryPoint),
    errorHandler(logger),
  ];
}

/** Has Apollo Server answer the request. */
function execution(serverOf: () => GraphqlServer, entryPoint: GraphqlEntryPoint): RequestHandler {
  return async (request, response, next) => {
    try {
      const { method, originalUrl, body, headers } = request;
      const { accept = '' } = headers;
      const search = originalUrl.slice(pathOf(originalUrl).length);
      const state = requestStateOf(request);
      const asked = { method, accept, search, body, largeBodyBytes: state.largeBodyBytes };
      const {
        response: answer,
        body: text,
        operationName,
      } = await serverOf().respond(asked, () => entryPoint.contextOf(request));
      if (operationName !== undefined) state.operation = operationName;
      if (response.destroyed || text === undefined) return;
      response.status(answer.status ?? 200).set(Object.fromEntries(answer.headers));
      response.setHeader('Content-Length', Buffer.byteLength(text));
      endResponse(request, response, text, maxBodyBytes);
    } catch (error) {
      next(error);
    }
  };
}

/** CORS for pages of other origins, which authenticate by a bearer token and never by a cookie. */
function crossOrigin(origins: '*' | string[]): RequestHandler {
  const cors = {
    origins,
    allowHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposeHeaders: [
      'Retry-After',
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Used',
      'X-RateLimit-Resource',
      'X-RateLimit-Reset',
    ],
    maxAgeSeconds: 86_400,
  };
  return (request, response, next) => {
    // No cache may store a response to a caller, nor serve it to a page of another origin.
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Vary', 'Authorization, Origin');
    const allowed = corsHeaders(cors, request.headers.origin);
    for (const name in allowed) response.setHeader(name, allowed[name] ?? '');
    if (!isPreflight(request)) return next();
    response
      .status(204)
      .set(preflightHeaders(cors, ['GET', 'POST']))
      .end();
  };
}

const onlyGetAndPost: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'POST') return next();
  response.set('Allow', 'GET, POST, OPTIONS');
  if (method === 'OPTIONS') response.status(204).end();
  else
    response.status(405).json(graphqlError('METHOD_NOT_ALLOWED', 'GraphQL is asked by POST, or by GET for queries.'));
};

const jsonTypes = ['application/json', 'application/graphql-response+json'];

/** Clients of the code hosting API send its media types here, too, with and without `+json`. All of them are JSON. */
const vendorTypes = /application\/vnd\.[\w.+-]+/gi;

/** Selected types by method and header; clients of one kind send one header. */
const negotiated = new LRUCache<string, string>({ max: 500 });
/** A longer header is negotiated each time. */
const maxNegotiatedLength = 300;

/** Replaces `Accept` by the selected media type, before anything runs: a mutation must not be written and answered by 406. */
const negotiate: RequestHandler = (request, response, next) => {
  const { method, headers } = request;
  const key = `${method} ${headers.accept ?? ''}`;
  const known = negotiated.get(key);
  if (known !== undefined) {
    headers.accept = known;
    return next();
  }
  // `gh api` sends an empty header.
  headers.accept = headers.accept?.trim().replaceAll(vendorTypes, 'application/json') || '*/*';
  const type = request.accepts(method === 'GET' ? [...jsonTypes, 'text/html'] : jsonTypes);
  if (type) {
    headers.accept = String(type);
    if (key.length <= maxNegotiatedLength) negotiated.set(key, headers.accept);
    return next();
  }
  const message = `The answer to an operation is ${jsonTypes.join(' or ')}; Accept names neither.`;
  response.status(406).json(graphqlError('NOT_ACCEPTABLE', message));
};

/** JSON by its name. A page of another origin cannot send it without a preflight. */
const jsonBody = /^application\/(?:json|[\w.-]+\+json|vnd\.[\w.-]+)\s*(?:;|$)/i;
/** What clients send that name no type or the default one of their HTTP library: their bodies are JSON all the same. */
const otherBody = /^(?:text\/plain|application\/x-www-form-urlencoded)\s*(?:;|$)/i;

/**
 * A page of another origin can send a form, a text or a body without a type, and nothing else, without a preflight; they are read only
 * with the header `Authorization`, for which a browser sends one. A GET needs no preflight: it runs queries only, which write nothing,
 * and credentials are never cookies.
 */
const onlyJsonBodies: RequestHandler = ({ method, headers }, response, next) => {
  const { 'content-type': type = '', authorization } = headers;
  if (method === 'GET' || jsonBody.test(type)) return next();
  if (authorization !== undefined && (type === '' || otherBody.test(type))) return next();
  response.set('Accept-Post', 'application/json');
  const message = 'A POST without the header Authorization needs the Content-Type application/json.';
  response.status(415).json(graphqlError('UNSUPPORTED_MEDIA_TYPE', message));
};

/** Apollo Server serves Sandbox to browsers, under a policy in its HTML; directives that HTML cannot set are here. */
const sandbox: RequestHandler = (request, response, next) => {
  if (request.headers.accept === 'text/html') {
    response.set(
      'Content-Security-Policy',
      "frame-ancestors 'none';base-uri 'none';object-src 'none';form-action 'none'",
    );
    response.removeHeader('Cross-Origin-Opener-Policy');
  }
  next();
};

/** Errors before the operation is known: a body that is invalid JSON, too large, truncated, or in an unknown encoding. */
function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: { status?: unknown }, request, response, next) => {
    // The last step of the pipeline formats errors of the landing page.
    if (response.headersSent || error instanceof ProblemError) return next(error);
    const { status } = error;
    if (typeof status !== 'number' || status < 400 || status > 499) {
      logger.error({ err: error }, 'the GraphQL handler failed');
      response.status(500).json(graphqlError('INTERNAL_SERVER_ERROR', 'A server error occurred.'));
      return;
    }
    const text = JSON.stringify(graphqlError('BAD_REQUEST', unreadableBodyMessage(error)));
    response
      .status(status)
      .type('json')
      .set('Content-Length', String(Buffer.byteLength(text)));
    // What is left of the body is not read to its end.
    endResponse(request, response, text, maxBodyBytes);
  };
}

function graphqlError(code: ErrorCode, message: string): object {
  return { errors: [{ message, extensions: { code } }] };
}
