import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import type { Context } from '../context/context.ts';
import { retryAfterSeconds } from '../errors/errors.ts';
import { defaultQueryLimits, parserOptions, queryLimitsPlugin } from '../limits/query-limits.ts';
import type { QueryMeasure } from '../limits/query-measure.ts';
import { graphqlDocuments } from './graphql-documents.ts';
import type { Logger } from './logger.ts';
import { responseSizeLimit } from './response-size-limit.ts';
import type { TranslateError } from './translate-error.ts';

/** The GraphQL door: free-form documents over the same graph that the contracts stand on. */
export function createApollo(
  graph: GraphQLSchema,
  logger: Logger,
  explain: TranslateError,
  plugins: ApolloServerPlugin<Context>[] = [],
  onMeasured?: (context: Context, measure: QueryMeasure) => void,
): ApolloServer<Context> {
  const answerSize = responseSizeLimit();
  const measured = (context: Context, measure: QueryMeasure): void => {
    answerSize.onMeasured(context, measure);
    onMeasured?.(context, measure);
  };
  const documents = graphqlDocuments(graph);
  return new ApolloServer<Context>({
    schema: graph,
    documentStore: documents.store,
    // By `graphqlDocuments`, in bounded time.
    dangerouslyDisableValidation: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: parserOptions(defaultQueryLimits),
    formatError: (formatted, error) => formatError(formatted, error, { logger, explain }),
    logger,
    plugins: [
      documents.plugin,
      // Twice the time of a whole operation on lists (172 µs instead of 63 for 30 × 10 fields), for headers nobody here uses.
      ApolloServerPluginCacheControlDisabled(),
      // APOLLO_KEY in the environment would turn this on and send operations to a third party.
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginLandingPageLocalDefault({ footer: false }),
      queryLimitsPlugin(defaultQueryLimits, measured),
      answerSize.plugin,
      statusOfPartialData,
      rejectSubscriptions,
      markMutations,
      ...plugins,
    ],
  });
}

/**
 * An answer with data is 200, whatever failed in it (GraphQL over HTTP, 6.4.2). Apollo would answer with the status of the
 * last error that has one, and a client would throw the rest of a dashboard away because one of its fields is absent. An
 * answer without any because the database had no time is 503. Each that lacks something for that reason says when to ask again.
 */
const statusOfPartialData: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body, http } }) {
        if (body.kind !== 'single') return;
        const { data, errors } = body.singleResult;
        const isUnavailable = errors?.some(({ extensions }) => extensions?.code === 'SERVICE_UNAVAILABLE');
        if (isUnavailable) http.headers.set('retry-after', retryAfterSeconds);
        if (data) http.status = 200;
        else if (isUnavailable) http.status = 503;
      },
    };
  },
};

/** A context is made before it is known what is asked for. */
const markMutations: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, contextValue }) {
        contextValue.isMutation = operation?.operation === OperationTypeNode.MUTATION;
      },
    };
  },
};

/** Executed like a query, a subscription would look for its event in nothing. */
const rejectSubscriptions: ApolloServerPlugin<Context> = {
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

/** Errors made to be told pass; everything else is logged and told without detail: no stack, no SQL. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  { logger, explain }: { logger: Logger; explain: TranslateError },
): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  const known = explain(cause);
  if (known) return { ...formatted, message: known.message, extensions: { ...known.extensions, http: undefined } };
  if (cause instanceof GraphQLError) {
    const code = isRequestError(error) ? requestErrorCode(cause) : formatted.extensions?.code;
    if (code !== 'INTERNAL_SERVER_ERROR') {
      return { ...formatted, extensions: { ...formatted.extensions, code, http: undefined } };
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
 * Whether an error without a code is about the request. Those of graphql-js point at a value in the document (`$page: Int = 1`
 * may stand where `Int!` is needed, and null sent for it passes validation), or at nothing: too many variables that cannot be
 * read. Those of Apollo point at nothing, too: a persisted query whose hash is another. Whatever a resolver throws has a path,
 * and whatever is no GraphQLError at first has an original error.
 */
function isRequestError(error: unknown): boolean {
  if (!(error instanceof GraphQLError) || error.extensions.code !== undefined) return false;
  const { nodes = [], path, originalError } = error;
  if (nodes.length > 0) return nodes.every(node => node.kind !== Kind.FIELD);
  return path === undefined && originalError === undefined;
}

/** Apollo gives what it refuses itself a status. */
function requestErrorCode({ extensions }: GraphQLError): string {
  return extensions.http === undefined ? 'BAD_USER_INPUT' : 'BAD_REQUEST';
}
