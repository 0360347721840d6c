import { HeaderMap, type HTTPGraphQLHead } from '@apollo/server';
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import type { ErrorCode } from '../errors/codes.ts';
import { withArgumentPaths } from './input-problems.ts';
import type { Logger } from './logger.ts';
import type { TranslateError } from './translate-error.ts';

export interface ErrorFormatting {
  logger: Logger;
  translateError: TranslateError;
}

/** An error of a request as a whole, with its status. */
export function requestError(code: ErrorCode, message: string, status: number): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } });
}

/**
 * An error of a request as a whole as Apollo Server has to be told: it reads the status of a GraphQLError alone, and headers of a
 * `HeaderMap` alone. A defect, which has no status, remains as it is and becomes 500.
 */
export function answerable(error: unknown, translateError: TranslateError): unknown {
  const known = translateError(error) ?? error;
  if (!(known instanceof GraphQLError)) return error;
  const { status = 500, headers: own = [] } = httpOf(known);
  const headers = new HeaderMap(own);
  if (status === 401) headers.set('www-authenticate', 'Bearer realm="api"');
  const { retryAfter } = known.extensions;
  if (typeof retryAfter === 'number') headers.set('retry-after', String(retryAfter));
  const { message, nodes, source, positions, path } = known;
  const extensions = { ...known.extensions, http: { status, headers } };
  return new GraphQLError(message, { nodes, source, positions, path, extensions } as never);
}

/** The status and the headers that an error asks for. */
export function httpOf(error: unknown): Partial<HTTPGraphQLHead> {
  // Its type in `graphql` is that of another server, with a record of headers.
  const http: unknown = error instanceof GraphQLError ? error.extensions.http : undefined;
  return typeof http === 'object' && http !== null ? http : {};
}

/** The formatted error of any thrown value. */
export function formatThrown(error: unknown, formatting: ErrorFormatting): GraphQLFormattedError {
  const located =
    error instanceof GraphQLError ? error : new GraphQLError(String(error), { originalError: error as Error });
  const { code = 'INTERNAL_SERVER_ERROR' } = located.extensions;
  return formatError({ ...located.toJSON(), extensions: { ...located.extensions, code } }, error, formatting);
}

/** Passes errors with a code; any other error is logged and reported without detail: no stack, no SQL. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  { logger, translateError }: ErrorFormatting,
): GraphQLFormattedError {
  const cause = resolverErrorOf(error);
  const known = translateError(cause);
  if (known) {
    const extensions = withArgumentPaths(known.extensions, error);
    return { ...formatted, message: known.message, extensions: { ...extensions, headers: undefined, http: undefined } };
  }
  if (cause instanceof GraphQLError) {
    // Apollo Server gives two errors of persisted queries a status and no code.
    const requestCode = httpOf(error).status === undefined ? 'BAD_USER_INPUT' : 'BAD_REQUEST';
    const code = isRequestError(error) ? requestCode : formatted.extensions?.code;
    if (code !== 'INTERNAL_SERVER_ERROR') {
      const extensions = withArgumentPaths(formatted.extensions, error);
      return { ...formatted, extensions: { ...extensions, code, http: undefined } };
    }
  }
  logger.error({ err: cause }, 'a resolver failed');
  return {
    message: 'A server error occurred.',
    ...(formatted.path ? { path: formatted.path } : {}),
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  };
}

/** What a resolver or a step of the request has thrown, or the error itself. */
function resolverErrorOf(error: unknown): unknown {
  return error instanceof GraphQLError && (error.path || !error.nodes) && error.originalError
    ? error.originalError
    : error;
}

/**
 * Whether an error without a code is caused by the request. Errors of graphql-js refer to a value in the document (`$page: Int = 1`
 * is valid where `Int!` is needed, and null for it passes validation) or to no node (too many invalid variables). Errors of resolvers
 * have a path, and errors that were not GraphQLErrors have an original error.
 */
function isRequestError(error: unknown): boolean {
  if (!(error instanceof GraphQLError) || error.extensions.code !== undefined) return false;
  const { nodes = [], path, originalError } = error;
  if (nodes.length > 0) return nodes.every(node => node.kind !== Kind.FIELD);
  return path === undefined && originalError === undefined;
}
