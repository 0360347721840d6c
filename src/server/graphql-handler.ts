import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { GraphQLError } from 'graphql';
import { corsHeaders, isPreflight, preflightHeaders } from '../../rest-facade/engine/cors.ts';
import { findJsonExcess, type JsonExcess } from '../../rest-facade/engine/json-complexity.ts';
import { ProblemError } from '../../rest-facade/engine/problem.ts';
import type { Context } from '../context/context.ts';
import { retryAfterSeconds } from '../errors/errors.ts';
import type { GraphqlEntryPoint } from './graphql-admission.ts';
import type { Logger } from './logger.ts';
import type { TranslateError } from './translate-error.ts';

export interface GraphqlHandlerOptions {
  apollo: ApolloServer<Context>;
  entry: GraphqlEntryPoint;
  explain: TranslateError;
  logger: Logger;
  /** Web origins whose pages may ask. */
  origins: '*' | string[];
}

/** Largest GraphQL request in bytes: 2,000 tokens and their variables fit several times over. */
const maxBodyBytes = 256 * 1024;

/** `/graphql`: JSON in and out, Sandbox for a browser. Everything that fails does so in the shape of GraphQL. */
export function graphqlHandler({
  apollo,
  entry,
  explain,
  logger,
  origins,
}: GraphqlHandlerOptions): (RequestHandler | ErrorRequestHandler)[] {
  return [
    crossOrigin(origins),
    onlyGetAndPost,
    acceptVendorTypes,
    sandboxPolicy,
    entry.step,
    express.json({ limit: maxBodyBytes, verify: assertSimpleJson }),
    expressMiddleware(apollo, {
      context: async ({ req, res }) => contextOrError(() => entry.contextOf(req), explain, res),
    }),
    errorHandler(logger),
  ];
}

/** Pages of other origins may query the graph as they may call the contracts: by a bearer token, never by a cookie. */
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
    // No cache may keep what was answered to somebody, nor serve it to a page of another origin.
    response.set({ 'Cache-Control': 'no-store', Vary: 'Authorization, Origin' });
    response.set(corsHeaders(cors, request.headers.origin));
    if (!isPreflight(request)) return next();
    response
      .status(204)
      .set(preflightHeaders(cors, ['GET', 'POST']))
      .end();
  };
}

/** Before Apollo's check against forged requests: that would answer 400 to a PUT without a content type. */
const onlyGetAndPost: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'POST') return next();
  response.set('Allow', 'GET, POST, OPTIONS');
  if (method === 'OPTIONS') response.status(204).end();
  else
    response.status(405).json(graphqlError('METHOD_NOT_ALLOWED', 'GraphQL is asked by POST, or by GET for queries.'));
};

/** Clients of the code hosting API ask for its media type here, too, which is JSON by another name; Apollo would answer 406. */
const acceptVendorTypes: RequestHandler = (request, _response, next) => {
  const { accept } = request.headers;
  if (accept?.includes('/vnd.')) {
    request.headers.accept = accept.replaceAll(/application\/vnd\.[a-z0-9.-]+\+json/gi, 'application/json');
  }
  next();
};

/** Apollo's landing page loads Sandbox from Apollo, by a policy of its own in the page; what that cannot say stands here. */
const sandboxPolicy: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
    response.set(
      'Content-Security-Policy',
      "frame-ancestors 'none';base-uri 'none';object-src 'none';form-action 'none'",
    );
    response.removeHeader('Cross-Origin-Opener-Policy');
  }
  next();
};

/** A context that cannot be made is a failure with a status of its own: 401 with its challenge, 503 without a database. */
async function contextOrError(
  make: () => Promise<Context>,
  explain: TranslateError,
  response: express.Response,
): Promise<Context> {
  try {
    return await make();
  } catch (error) {
    const known = explain(error) ?? error;
    const status =
      known instanceof GraphQLError ? (known.extensions.http as { status?: unknown } | undefined)?.status : undefined;
    if (status === 401) response.set('WWW-Authenticate', 'Bearer realm="api"');
    if (status === 503) response.set('Retry-After', retryAfterSeconds);
    throw known;
  }
}

/** A body that is not parsed because of its nesting or its number of parts; the message is published. */
class TooComplexError extends Error {
  readonly status = 400;
}

const excessMessages: Record<JsonExcess['is'], (max: number) => string> = {
  depth: max => `The body is nested more than ${max} levels deep.`,
  members: max => `The body has more than ${max} members and items.`,
};

/** A body in an encoding that the bounds on JSON are not counted in. */
class UnsupportedCharsetError extends Error {
  readonly status = 415;
}

/**
 * Runs before the body is parsed. body-parser would read whatever iconv-lite calls `utf-`: in UTF-7 and UTF-16 brackets and quotes
 * are other bytes, so that nothing would be counted. @throws TooComplexError, UnsupportedCharsetError, which body-parser passes on.
 */
function assertSimpleJson(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new UnsupportedCharsetError('JSON is UTF-8.');
  const excess = findJsonExcess(body.toString('latin1'));
  if (excess) throw new TooComplexError(excessMessages[excess.is](excess.max));
}

/** Failures before Apollo sees a request: a body that is no JSON, too large, cut off, in an unknown encoding. */
function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: { status?: unknown }, _request, response, next) => {
    // The last step of the pipeline answers a refusal of the page.
    if (response.headersSent || error instanceof ProblemError) return next(error);
    const { status } = error;
    if (typeof status !== 'number' || status < 400 || status > 499) {
      logger.error({ err: error }, 'the GraphQL door failed');
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

function graphqlError(code: string, message: string): object {
  return { errors: [{ message, extensions: { code } }] };
}
