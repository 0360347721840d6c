import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import { retryAfterSeconds } from '../errors/errors.ts';
import { defaultQueryLimits, parserOptions, queryLimitsPlugin } from '../limits/query-limits.ts';
import { type DocumentPolicy, documentPolicy } from './document-policy.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { graphqlDocuments } from './graphql-documents.ts';
import { withArgumentPaths } from './input-problems.ts';
import type { Logger } from './logger.ts';
import { responseSizeLimit } from './response-size-limit.ts';
import type { TranslateError } from './translate-error.ts';

/** The Apollo server of `/graphql`, over the schema that the REST operations use as well. */
export function createApollo(
  graph: GraphQLSchema,
  logger: Logger,
  translateError: TranslateError,
  plugins: ApolloServerPlugin<GraphqlContext>[] = [],
  policy: DocumentPolicy = documentPolicy('any', new Map()),
): ApolloServer<GraphqlContext> {
  const documents = graphqlDocuments(graph, policy);
  return new ApolloServer<GraphqlContext>({
    schema: graph,
    documentStore: documents.store,
    persistedQueries: { cache: documents.texts },
    // `graphqlDocuments` validates in bounded time.
    dangerouslyDisableValidation: true,
    // `graphqlHandler` reads no body that a page can send without a preflight, and a GET runs queries only.
    csrfPrevention: false,
    allowBatchedHttpRequests: false,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: parserOptions(defaultQueryLimits),
    formatError: (formatted, error) => formatError(formatted, error, { logger, translateError }),
    logger,
    plugins: [
      documents.plugin,
      // Its cache headers are unused and would double the time of an operation on lists (172 instead of 63 µs for 30 × 10 fields).
      ApolloServerPluginCacheControlDisabled(),
      // APOLLO_KEY in the environment would enable it and send operations to a third party.
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginLandingPageLocalDefault({ footer: false }),
      queryLimitsPlugin<GraphqlContext>(defaultQueryLimits, (context, measure) => {
        context.queryMeasure = measure;
      }),
      responseSizeLimit,
      statusOfPartialData,
      rejectSubscriptions,
      markMutations,
      ...plugins,
    ],
  });
}

/**
 * A response with data is 200, whatever fields failed (GraphQL over HTTP, 6.4.2). Apollo would use the status of the last error
 * that has one, and clients would discard a dashboard because one field is absent. A response without data, or with nothing but null,
 * because the database is unavailable is 503. Every response with an unavailable field has Retry-After.
 */
const statusOfPartialData: ApolloServerPlugin<GraphqlContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body, http } }) {
        if (body.kind !== 'single') return;
        const { data, errors } = body.singleResult;
        const isUnavailable = errors?.some(({ extensions }) => extensions?.code === 'SERVICE_UNAVAILABLE');
        if (isUnavailable) http.headers.set('retry-after', retryAfterSeconds);
        const isEmpty = Object.values(data ?? {}).every(value => value === null);
        if (isEmpty && isUnavailable) http.status = 503;
        else if (data) http.status = 200;
      },
    };
  },
};

/** The context is created before the operation is known. */
const markMutations: ApolloServerPlugin<GraphqlContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, contextValue }) {
        contextValue.isMutation = operation?.operation === OperationTypeNode.MUTATION;
      },
    };
  },
};

/** Subscriptions over HTTP would be executed like queries, without an event. */
const rejectSubscriptions: ApolloServerPlugin<GraphqlContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation }) {
        if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return;
        throw new GraphQLError('Subscriptions are served over WebSocket, in the protocol graphql-transport-ws.', {
          extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
        });
      },
    };
  },
};

/** Passes errors with a code; any other error is logged and reported without detail: no stack, no SQL. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  { logger, translateError }: { logger: Logger; translateError: TranslateError },
): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  const known = translateError(cause);
  if (known) {
    const extensions = withArgumentPaths(known.extensions, error);
    return { ...formatted, message: known.message, extensions: { ...extensions, http: undefined } };
  }
  if (cause instanceof GraphQLError) {
    const code = isRequestError(error) ? requestErrorCode(cause) : formatted.extensions?.code;
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

/**
 * Whether an error without a code is caused by the request. Errors of graphql-js refer to a value in the document (`$page: Int = 1`
 * is valid where `Int!` is needed, and null for it passes validation) or to no node (too many invalid variables). Errors of Apollo
 * have no nodes either (the hash of a persisted query does not match). Errors of resolvers have a path, and errors that were not
 * GraphQLErrors have an original error.
 */
function isRequestError(error: unknown): boolean {
  if (!(error instanceof GraphQLError) || error.extensions.code !== undefined) return false;
  const { nodes = [], path, originalError } = error;
  if (nodes.length > 0) return nodes.every(node => node.kind !== Kind.FIELD);
  return path === undefined && originalError === undefined;
}

/** Errors of Apollo itself have a status. */
function requestErrorCode({ extensions }: GraphQLError): string {
  return extensions.http === undefined ? 'BAD_USER_INPUT' : 'BAD_REQUEST';
}
