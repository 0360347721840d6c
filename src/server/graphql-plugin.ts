import type { ApolloServerPlugin, GraphQLRequestContext, GraphQLRequestListener } from '@apollo/server';
import { type GraphQLError, type GraphQLFormattedError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { execute, formatBodyInTurns, nextEventLoopTurn } from 'operation-rest';
import { retryAfterSeconds } from '../errors/errors.ts';
import { describeWork } from '../telemetry/loop-work.ts';
import type { CredentialCheck } from './context-factory.ts';
import type { DocumentPolicy } from './document-policy.ts';
import type { DocumentCounts, DocumentStore } from './document-store.ts';
import { maxBodyBytes } from './graphql-body.ts';
import type { GraphqlCharges } from './graphql-charges.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { answerable, formatThrown, httpOf, requestError } from './graphql-errors.ts';
import { answerOf, type GraphqlAnswer, toApollo } from './graphql-response.ts';
import type { Logger } from './logger.ts';
import type { SelectedOperation } from './prepared-operation.ts';
import { readList } from './read-list.ts';
import { limitResponseSize } from './response-size-limit.ts';
import type { ReportOperation } from './trace-operation.ts';
import type { TranslateError } from './translate-error.ts';
import { addUnresolvedObjects } from './unresolved-objects.ts';

export interface RequestPluginOptions {
  graph: GraphQLSchema;
  logger: Logger;
  translateError: TranslateError;
  policy: DocumentPolicy;
  counts: DocumentCounts;
  documents: DocumentStore;
  checkCredential: CredentialCheck;
  /** Undefined if rate limits are off. */
  charges: GraphqlCharges | undefined;
  /** Called with each operation that has been determined, and its response. */
  onResponse(operation: SelectedOperation, answer: GraphqlAnswer, context: GraphqlContext): void;
}

/** What is known of one request while it passes through Apollo Server. */
export interface Exchange {
  readonly request: { method: string; accept: string; largeBodyBytes?: number | undefined };
  /** Of a listed operation; of another one its type, because callers could choose any number of names. */
  name: string | undefined;
  operation?: SelectedOperation;
  /** Tells the span of the operation how it ended. */
  report?: ReportOperation;
  charging?: ReturnType<GraphqlCharges['start']>;
  /** The answer that was found before the execution, which does not take place. */
  answer?: GraphqlAnswer | undefined;
  /** The body of the response, which Apollo Server would make and encode at once; undefined if it answers before its plugins. */
  body?: string | Buffer;
}

/** The context of Apollo Server, which copies it for each request: what a request changes is in `exchange`. */
export interface Envelope {
  readonly exchange: Exchange;
  readonly context: GraphqlContext;
}

type RequestContext = GraphQLRequestContext<Envelope>;

/**
 * The steps of a GraphQL request that Apollo Server leaves to its plugins: a document is validated, measured and planned by its first
 * request; the later ones coerce their variables, are charged and executed, over the resolvers that the REST operations use as well.
 */
export function requestPlugin(options: RequestPluginOptions): ApolloServerPlugin<Envelope> {
  const { documents, charges, translateError, onResponse } = options;
  const listener: GraphQLRequestListener<Envelope> = {
    async didResolveSource({ queryHash }) {
      // A new document is parsed and validated in a turn of its own.
      if (!documents.has(queryHash)) await nextEventLoopTurn();
    },
    async didResolveOperation(request) {
      try {
        await prepare(options, request as Parsed);
      } catch (error) {
        throw answerable(error, translateError);
      }
    },
    async responseForOperation(request) {
      const { exchange, context } = request.contextValue;
      const answer = exchange.answer ?? (await executeOperation(options, request as Parsed, exchange, context));
      await limitResponseSize(answer);
      setStatusOfPartialData(answer);
      return toApollo(answer);
    },
    async willSendResponse({ response: { http, body }, contextValue: { exchange, context } }) {
      if (body.kind !== 'single') return;
      const answer: GraphqlAnswer = { http, result: body.singleResult };
      // Negotiated before anything ran.
      http.headers.set('content-type', `${exchange.request.accept}; charset=utf-8`);
      const { operation } = exchange;
      if (operation) onResponse(operation, answer, context);
      exchange.report?.(operation, answer);
      exchange.charging?.finish(answer, operation);
      addUnresolvedObjects(answer, operation);
      if (exchange.request.accept === 'application/json' && isOfDocument(answer)) http.status = 200;
      const { errors, data, extensions } = answer.result;
      exchange.body = await formatBodyInTurns({ errors, data, extensions });
      body.singleResult = {};
    },
  };
  return {
    async requestDidStart({ contextValue: { exchange, context } }) {
      exchange.charging = charges?.start(context);
      return listener;
    },
  };
}

type Parsed = RequestContext & Required<Pick<RequestContext, 'document' | 'queryHash' | 'source'>>;

/** Validates the document, measures the operation and charges it. @throws GraphQLError with the status of the response */
async function prepare(options: RequestPluginOptions, request: Parsed): Promise<void> {
  const { policy, documents, checkCredential } = options;
  const { source, queryHash, document, operation, contextValue } = request;
  const { exchange, context } = contextValue;
  // A caller who may not run the document is not told whether it is valid.
  const refusal = policy.refusal(context.actor, source);
  if (refusal) throw context.credentialError ?? refusal;
  const invalid = documents.admit(queryHash, source, document);
  if (invalid.length > 0) {
    // A hook can throw one error only.
    exchange.answer = answerOf(400, { errors: invalid.map(formatInvalid) });
    return;
  }
  if (!operation) throw unknownOperation(request.request.operationName);
  const prepared = documents.operationOf(document, operation);
  const sent = request.request.variables ?? {};
  const { method, largeBodyBytes = 0 } = exchange.request;
  exchange.name = policy.find(queryHash) && operation.name ? operation.name.value : operation.operation;
  describeWork({ operation: exchange.name });
  exchange.operation = { method, prepared, sent, coerced: undefined, errors: [], measure: undefined };
  if (largeBodyBytes > prepared.maxBodyBytes) {
    const allowed = Math.max(maxBodyBytes, prepared.maxBodyBytes);
    throw requestError('BAD_REQUEST', `The request is larger than ${allowed} bytes.`, 413);
  }
  exchange.operation = { method, prepared, ...prepared.measure(sent) };
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
    const message = 'Subscriptions are served over WebSocket, in the protocol graphql-transport-ws.';
    throw requestError('BAD_REQUEST', message, 400);
  }
  context.isMutation = operation.operation === OperationTypeNode.MUTATION;
  const invalidCredential = checkCredential(context, prepared);
  if (invalidCredential) throw invalidCredential;
  exchange.answer = await exchange.charging?.charge(exchange.operation);
}

async function executeOperation(
  options: RequestPluginOptions,
  { queryHash }: Parsed,
  { operation }: Exchange,
  context: GraphqlContext,
): Promise<GraphqlAnswer> {
  if (!operation) throw new TypeError('An operation is executed that was not prepared.');
  const { prepared, coerced, errors } = operation;
  const format = (error: GraphQLError) => formatThrown(error, options);
  if (!coerced) return answerOf(400, { errors: errors.map(format) });
  const planned = prepared.plan.size;
  const result = await execute(prepared.plan, { context, variables: coerced, readList });
  if (prepared.plan.size !== planned) options.documents.resize(queryHash);
  const { data, maxCharacters } = result;
  if (!result.errors) return { ...answerOf(200, { data }), maxCharacters };
  const status = result.errors.reduce((last, error) => httpOf(error).status ?? last, 200);
  return { ...answerOf(status, { errors: result.errors.map(format), data }), maxCharacters };
}

/**
 * Whether a well-formed request was refused for its document or variables. By the media type `application/json` such a response is 200
 * (GraphQL over HTTP, 6.4.1): its clients read the errors of no other one.
 */
function isOfDocument({ http, result: { errors = [] } }: GraphqlAnswer): boolean {
  return http.status === 400 && errors.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST');
}

/** Omits the AST nodes, which would keep the document in memory. */
function formatInvalid(error: GraphQLError): GraphQLFormattedError {
  const { message, locations, extensions } = error.toJSON();
  return {
    message,
    ...(locations ? { locations } : {}),
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', ...extensions },
  };
}

function unknownOperation(name: string | null | undefined): GraphQLError {
  const message = name
    ? `Unknown operation named "${name}".`
    : 'Must provide operation name if query contains multiple operations.';
  return requestError('OPERATION_RESOLUTION_FAILURE', message, 400);
}

/**
 * A response with data is 200, whatever fields failed (GraphQL over HTTP, 6.4.2): clients would discard a dashboard because one field
 * is absent. A response without data, or with nothing but null, is 503 because the database is unavailable and 500 because of a defect,
 * so that proxies and metrics count it as failed. Every response with an unavailable field has Retry-After.
 */
function setStatusOfPartialData({ http, result: { data, errors } }: GraphqlAnswer): void {
  if (!errors) return;
  const hasCode = (code: string): boolean => errors.some(({ extensions }) => extensions?.code === code);
  const isUnavailable = hasCode('SERVICE_UNAVAILABLE');
  if (isUnavailable) http.headers.set('retry-after', retryAfterSeconds);
  const isEmpty = Object.values(data ?? {}).every(value => value === null);
  if (isEmpty && isUnavailable) http.status = 503;
  else if (isEmpty && hasCode('INTERNAL_SERVER_ERROR')) http.status = 500;
  else if (data) http.status = 200;
}
