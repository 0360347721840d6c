import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { GraphQLError } from 'graphql';
import { corsHeaders, isPreflight, preflightHeaders } from '../../rest-facade/engine/cors.ts';
import { findJsonExcess, type JsonExcess } from '../../rest-facade/engine/json-complexity.ts';
import { ProblemError } from '../../rest-facade/engine/problem.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { retryAfterSeconds } from '../errors/errors.ts';
import type { GraphqlEntryPoint } from './graphql-admission.ts';
import type { GraphqlContext } from './graphql-context.ts';
import type { Logger } from './logger.ts';
import type { TranslateError } from './translate-error.ts';

export interface GraphqlHandlerOptions {
  /** The started server; a view of one product starts with its first request. */
  apollo(): Promise<ApolloServer<GraphqlContext>>;
  entryPoint: GraphqlEntryPoint;
  translateError: TranslateError;
  logger: Logger;
  /** Web origins allowed by CORS. */
  origins: '*' | string[];
}

/** Maximum body size in bytes: several times 2,000 tokens with their variables. */
const maxBodyBytes = 256 * 1024;

/** Handler of `/graphql` and `/api/graphql`: JSON in and out, Apollo Sandbox for browsers. Every error has the shape of GraphQL. */
export function graphqlHandler({
  apollo,
  entryPoint,
  translateError,
  logger,
  origins,
}: GraphqlHandlerOptions): (RequestHandler | ErrorRequestHandler)[] {
  return [
    crossOrigin(origins),
    onlyGetAndPost,
    negotiate,
    sandboxPolicy,
    entryPoint.middleware,
    onlyJsonBodies,
    express.json({ limit: maxBodyBytes, verify: assertSimpleJson }),
    executor(apollo, ({ req, res }) => contextOrError(() => entryPoint.contextOf(req), translateError, res)),
    errorHandler(logger),
  ];
}

type ContextOf = NonNullable<Parameters<typeof expressMiddleware<GraphqlContext>>[1]>['context'];

function executor(apollo: GraphqlHandlerOptions['apollo'], context: ContextOf): RequestHandler {
  let handler: RequestHandler | undefined;
  return async (request, response, next) => {
    handler ??= expressMiddleware(await apollo(), { context });
    return handler(request, response, next);
  };
}

/** CORS for pages of other origins, which authenticate by a bearer token and never by a cookie. */
function crossOrigin(origins: '*' | string[]): RequestHandler {
  const cors = {
    origins,
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'X-Request-Id',
      'Apollo-Require-Preflight',
      'X-Apollo-Operation-Name',
    ],
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
    response.set({ 'Cache-Control': 'no-store', Vary: 'Authorization, Origin' });
    response.set(corsHeaders(cors, request.headers.origin));
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

/**
 * Replaces `Accept` by the selected media type. Apollo negotiates after the execution: a mutation would be written and its
 * response would be 406.
 */
const negotiate: RequestHandler = (request, response, next) => {
  // `gh api` sends an empty header.
  request.headers.accept = request.headers.accept?.trim().replaceAll(vendorTypes, 'application/json') || '*/*';
  const type = request.accepts(request.method === 'GET' ? [...jsonTypes, 'text/html'] : jsonTypes);
  if (type) {
    request.headers.accept = String(type);
    return next();
  }
  const message = `The answer to an operation is ${jsonTypes.join(' or ')}; Accept names neither.`;
  response.status(406).json(graphqlError('NOT_ACCEPTABLE', message));
};

/**
 * A page of another origin can send a form, a text or a body without a type, and nothing else, without a preflight; none of them is
 * read. A GET needs no preflight: it runs queries only, which write nothing, and credentials are never cookies.
 */
const onlyJsonBodies: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return next();
  response.set('Accept-Post', 'application/json');
  response.status(415).json(graphqlError('UNSUPPORTED_MEDIA_TYPE', 'A POST needs the Content-Type application/json.'));
};

/** Apollo's landing page loads Sandbox from Apollo under a policy in its HTML; directives that HTML cannot set are here. */
const sandboxPolicy: RequestHandler = (request, response, next) => {
  if (request.headers.accept === 'text/html') {
    response.set(
      'Content-Security-Policy',
      "frame-ancestors 'none';base-uri 'none';object-src 'none';form-action 'none'",
    );
    response.removeHeader('Cross-Origin-Opener-Policy');
  }
  next();
};

/** An error of the context creation has a status of its own: 401 with its challenge, 503 without a database. */
async function contextOrError(
  make: () => Promise<GraphqlContext>,
  translateError: TranslateError,
  response: express.Response,
): Promise<GraphqlContext> {
  try {
    return await make();
  } catch (error) {
    const known = translateError(error) ?? error;
    const status =
      known instanceof GraphQLError ? (known.extensions.http as { status?: unknown } | undefined)?.status : undefined;
    if (status === 401) response.set('WWW-Authenticate', 'Bearer realm="api"');
    if (status === 503) response.set('Retry-After', retryAfterSeconds);
    throw known;
  }
}

/** The body exceeds the nesting or the number of parts; the message is published. */
class TooComplexError extends Error {
  readonly status = 400;
}

const excessMessages: Record<JsonExcess['is'], (max: number) => string> = {
  depth: max => `The body is nested more than ${max} levels deep.`,
  members: max => `The body has more than ${max} members and items.`,
};

/** The body has a charset in which `findJsonExcess` cannot count. */
class UnsupportedCharsetError extends Error {
  readonly status = 415;
}

/**
 * Runs before the body is parsed. body-parser decodes any charset that iconv-lite calls `utf-`: in UTF-7 and UTF-16 brackets
 * and quotes are other bytes and would not be counted.
 * @throws TooComplexError, UnsupportedCharsetError, which body-parser passes on
 */
function assertSimpleJson(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new UnsupportedCharsetError('JSON is UTF-8.');
  const excess = findJsonExcess(body.toString('latin1'));
  if (excess) throw new TooComplexError(excessMessages[excess.is](excess.max));
}

/** Errors before Apollo gets the request: a body that is invalid JSON, too large, truncated, or in an unknown encoding. */
function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: { status?: unknown }, _request, response, next) => {
    // The last step of the pipeline formats errors of the landing page.
    if (response.headersSent || error instanceof ProblemError) return next(error);
    const { status } = error;
    if (typeof status !== 'number' || status < 400 || status > 499) {
      logger.error({ err: error }, 'the GraphQL handler failed');
      response.status(500).json(graphqlError('INTERNAL_SERVER_ERROR', 'A server error occurred.'));
      return;
    }
    const message =
      status === 413
        ? `The request is larger than ${maxBodyBytes} bytes.`
        : status === 415
          ? 'The encoding of the request is not supported: send UTF-8, plain or compressed by gzip, br or deflate.'
          : error instanceof TooComplexError
            ? error.message
            : 'The request cannot be read: it is not valid JSON.';
    response.status(status).json(graphqlError('BAD_REQUEST', message));
  };
}

function graphqlError(code: ErrorCode, message: string): object {
  return { errors: [{ message, extensions: { code } }] };
}
