import { type GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { retryAfterSeconds } from '../errors/errors.ts';
import { describeWork } from '../telemetry/loop-work.ts';
import { tracing } from '../telemetry/tracing.ts';
import type { CredentialCheck } from './context-factory.ts';
import type { DocumentPolicy } from './document-policy.ts';
import { maxBodyBytes } from './graphql-body.ts';
import type { GraphqlCharges } from './graphql-charges.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { type DocumentCounts, type DocumentSource, GraphqlDocuments } from './graphql-documents.ts';
import { formatThrown, httpOf, requestError } from './graphql-errors.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { errorResponse, type GraphqlResponse } from './graphql-response.ts';
import type { Logger } from './logger.ts';
import type { SelectedOperation } from './prepared-operation.ts';
import { limitResponseSize } from './response-size-limit.ts';
import { type ReportOperation, traceOperation } from './trace-operation.ts';
import type { TranslateError } from './translate-error.ts';

export interface GraphqlServerOptions {
  graph: GraphQLSchema;
  logger: Logger;
  translateError: TranslateError;
  policy: DocumentPolicy;
  counts: DocumentCounts;
  checkCredential: CredentialCheck;
  /** Undefined if rate limits are off. */
  charges: GraphqlCharges | undefined;
  /** Called with each operation that has been determined, and its response. */
  onResponse(operation: SelectedOperation, response: GraphqlResponse, context: GraphqlContext): void;
}

/** What was found of a request, also when it is refused. */
interface Selection {
  operation?: SelectedOperation;
  /** Of a listed operation; of another one its type, because callers could choose any number of names. */
  name?: string;
}

const challenge = { 'www-authenticate': 'Bearer realm="api"' };

/**
 * Runs GraphQL requests against one graph, over the resolvers that the REST operations use as well. A document is parsed, validated,
 * measured and planned by its first request; the later ones look it up, coerce their variables, are charged and executed.
 *
 * Rejected: the request pipeline of Apollo Server, whose hooks are awaited per plugin and take 250 µs of each request.
 */
export class GraphqlServer {
  readonly documents: GraphqlDocuments;
  readonly #options: GraphqlServerOptions;

  constructor(options: GraphqlServerOptions) {
    this.#options = options;
    this.documents = new GraphqlDocuments(options.graph, options.policy, options.counts);
  }

  /** The response to an error outside of any operation: of the credential, of the database, of the parameters. */
  refuse(error: unknown): GraphqlResponse {
    const { status = 500, headers = {} } = httpOf(this.#options.translateError(error) ?? error);
    const more = status === 401 ? challenge : status === 503 ? { 'retry-after': retryAfterSeconds } : {};
    return errorResponse(status, [formatThrown(error, this.#options)], { ...more, ...headers });
  }

  /** Never rejects. */
  respond(request: GraphqlRequest, context: GraphqlContext): Promise<GraphqlResponse> {
    if (tracing === undefined) return this.#respond(request, context);
    return traceOperation(tracing, report => this.#respond(request, context, report));
  }

  async #respond(request: GraphqlRequest, context: GraphqlContext, report?: ReportOperation): Promise<GraphqlResponse> {
    const { charges, onResponse } = this.#options;
    const charging = charges?.start(context);
    const selection: Selection = {};
    let response: GraphqlResponse;
    try {
      response = await this.#run(request, context, charging, selection);
    } catch (error) {
      response = this.refuse(error);
    }
    const { operation, name } = selection;
    if (name !== undefined) response.operationName = name;
    await limitResponseSize(response);
    setStatusOfPartialData(response);
    if (operation) onResponse(operation, response, context);
    report?.(operation, response);
    charging?.finish(response, operation);
    return response;
  }

  /** @throws GraphQLError with the status of the response */
  async #run(
    request: GraphqlRequest,
    context: GraphqlContext,
    charging: ReturnType<GraphqlCharges['start']>,
    selection: Selection,
  ): Promise<GraphqlResponse> {
    const source = this.documents.sourceOf(request);
    const { operationName } = request;
    const prepared =
      this.documents.findPrepared(source, operationName) ??
      (await this.documents.prepare(source, operationName, context.actor));
    const type = prepared && 'operation' in prepared ? prepared.operation.operation : undefined;
    const sent = request.variables ?? {};
    if (prepared && 'operation' in prepared) {
      const { name, operation } = prepared.operation;
      selection.name = this.#options.policy.find(source.hash) && name ? name.value : operation;
      describeWork({ operation: selection.name });
      selection.operation = {
        method: request.method,
        prepared,
        sent,
        coerced: undefined,
        errors: [],
        measure: undefined,
      };
    }
    if (request.method === 'GET' && type !== undefined && type !== OperationTypeNode.QUERY) {
      const message = `GET requests only support query operations, not ${type} operations`;
      throw requestError('BAD_REQUEST', message, 405, { allow: 'POST' });
    }
    this.#assertListed(source, context);
    if (prepared && 'errors' in prepared) {
      if (source.isRegistered) this.documents.register(source);
      return errorResponse(400, prepared.errors);
    }
    if (!prepared) throw unknownOperation(operationName);

    const { largeBodyBytes = 0 } = request;
    if (largeBodyBytes > prepared.maxBodyBytes) {
      const allowed = Math.max(maxBodyBytes, prepared.maxBodyBytes);
      throw requestError('BAD_REQUEST', `The request is larger than ${allowed} bytes.`, 413);
    }
    const measured = prepared.measure(sent);
    selection.operation = { method: request.method, prepared, ...measured };
    if (type === OperationTypeNode.SUBSCRIPTION) {
      const message = 'Subscriptions are served over WebSocket, in the protocol graphql-transport-ws.';
      throw requestError('BAD_REQUEST', message, 400);
    }
    context.isMutation = type === OperationTypeNode.MUTATION;
    const invalidCredential = this.#options.checkCredential(context, prepared);
    if (invalidCredential) throw invalidCredential;
    if (source.isRegistered) this.documents.register(source);
    const refusal = await charging?.charge(selection.operation);
    return refusal ?? this.#execute(source, selection.operation, context);
  }

  async #execute(
    source: DocumentSource,
    { prepared, sent, coerced, errors }: SelectedOperation,
    context: GraphqlContext,
  ): Promise<GraphqlResponse> {
    const format = (error: GraphQLError) => formatThrown(error, this.#options);
    if (!coerced) return errorResponse(400, errors.map(format));
    const planned = prepared.plan.size;
    const result = await prepared.plan.execute({ sent, coerced }, context, { hasJsonLists: true });
    if (prepared.plan.size !== planned) this.documents.resize(source);
    const { data, maxCharacters } = result;
    if (!result.errors) return { status: 200, headers: {}, result: { data }, maxCharacters };
    const status = result.errors.reduce((last, error) => httpOf(error).status ?? last, 200);
    return { status, headers: {}, result: { errors: result.errors.map(format), data }, maxCharacters };
  }

  /** @throws GraphQLError if the caller may not run the document */
  #assertListed({ text }: DocumentSource, { actor, credentialError }: GraphqlContext): void {
    const refusal = this.#options.policy.refusal(actor, text);
    if (!refusal) return;
    throw credentialError ?? refusal;
  }
}

function unknownOperation(name: string | undefined): GraphQLError {
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
function setStatusOfPartialData(response: GraphqlResponse): void {
  const { data, errors } = response.result;
  if (!errors) return;
  const hasCode = (code: string): boolean => errors.some(({ extensions }) => extensions?.code === code);
  const isUnavailable = hasCode('SERVICE_UNAVAILABLE');
  if (isUnavailable) response.headers['retry-after'] = retryAfterSeconds;
  const isEmpty = Object.values(data ?? {}).every(value => value === null);
  if (isEmpty && isUnavailable) response.status = 503;
  else if (isEmpty && hasCode('INTERNAL_SERVER_ERROR')) response.status = 500;
  else if (data) response.status = 200;
}
