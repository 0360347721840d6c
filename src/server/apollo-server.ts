import { ApolloServer, HeaderMap, type HTTPGraphQLRequest, type HTTPGraphQLResponse } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { JsonRefusedError, parseJson } from 'operation-rest';
import { defaultQueryLimits, parserOptions } from '../limits/query-limits.ts';
import { tracing } from '../telemetry/tracing.ts';
import { DocumentStore, persistedTexts } from './document-store.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { answerable, formatError, requestError } from './graphql-errors.ts';
import { type Envelope, type Exchange, type RequestPluginOptions, requestPlugin } from './graphql-plugin.ts';
import { landingPage } from './landing-page.ts';
import { traceOperation } from './trace-operation.ts';

export type GraphqlServerOptions = Omit<RequestPluginOptions, 'documents'>;

/** What `GraphqlServer` needs of an HTTP request. */
export interface GraphqlRequest {
  method: string;
  /** The selected media type. */
  accept: string;
  /** With its question mark; '' if there is none. */
  search: string;
  /** The parsed body of a POST. */
  body: unknown;
  /** Bytes of the body, if it is larger than others may be. */
  largeBodyBytes?: number | undefined;
}

export interface GraphqlAnswered {
  /** Status and headers. */
  response: HTTPGraphQLResponse;
  /** Undefined if the body is not complete. */
  body: string | Buffer | undefined;
  /** Name of the operation in metrics and traces, if it was found. */
  operationName: string | undefined;
}

/**
 * Apollo Server over one graph. It reads the parameters, finds persisted queries, parses, selects the operation and makes the response;
 * `requestPlugin` validates, charges and executes. Its default plugins are off: they take 250 µs of each request, and the one for the
 * cache doubles the time of lists. Rejected: `@as-integrations/express5`, which takes a fifth of the CPU time of a list.
 */
export class GraphqlServer {
  readonly documents: DocumentStore;
  readonly #apollo: ApolloServer<Envelope>;
  readonly #options: GraphqlServerOptions;

  constructor(options: GraphqlServerOptions) {
    const { graph, counts, policy, logger } = options;
    this.#options = options;
    this.documents = new DocumentStore(graph, counts);
    this.#apollo = new ApolloServer<Envelope>({
      schema: graph,
      logger,
      nodeEnv: 'production',
      introspection: true,
      documentStore: this.documents,
      parseOptions: parserOptions(defaultQueryLimits),
      // `requestPlugin` validates, in bounded time.
      dangerouslyDisableValidation: true,
      persistedQueries: { cache: persistedTexts(policy) },
      formatError: (formatted, error) => formatError(formatted, error, options),
      stringifyResult: result => JSON.stringify(result),
      stopOnTerminationSignals: false,
      plugins: [
        requestPlugin({ ...options, documents: this.documents }),
        landingPage(),
        ApolloServerPluginCacheControlDisabled(),
        ApolloServerPluginInlineTraceDisabled(),
        ApolloServerPluginLandingPageDisabled(),
        ApolloServerPluginSchemaReportingDisabled(),
        ApolloServerPluginUsageReportingDisabled(),
      ],
    });
    this.#apollo.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests();
  }

  /**
   * Answers a request. Never rejects.
   * @param admitted its context, which is not needed for the landing page
   */
  async respond(request: GraphqlRequest, admitted: () => Promise<GraphqlContext>): Promise<GraphqlAnswered> {
    const exchange: Exchange = { request, name: undefined };
    const { method, accept, search, body } = request;
    const httpGraphQLRequest: HTTPGraphQLRequest = {
      method,
      // The handler has decided which requests need a preflight. Apollo Server would refuse some without it.
      headers: new HeaderMap([
        ['accept', accept],
        ['content-type', 'application/json'],
      ]),
      search,
      body,
    };
    const context = async (): Promise<Envelope> => {
      try {
        const context = await admitted();
        assertPersistedQuery(await readExtensions(request));
        return { exchange, context };
      } catch (error) {
        throw answerable(error, this.#options.translateError);
      }
    };
    const respond = () => this.#apollo.executeHTTPGraphQLRequest({ httpGraphQLRequest, context });
    const response = await (tracing === undefined
      ? respond()
      : traceOperation(tracing, report => {
          exchange.report = report;
          return respond();
        }));
    const complete = response.body.kind === 'complete' ? response.body.string : undefined;
    return { response, body: exchange.body ?? complete, operationName: exchange.name };
  }
}

/** The `extensions` of a request. Apollo Server parses the parameters of a GET, but with any depth and with repeated keys. */
async function readExtensions({ method, search, body }: GraphqlRequest): Promise<unknown> {
  if (method !== 'GET') return isRecord(body) ? body.extensions : undefined;
  const parameters = new URLSearchParams(search);
  await Promise.all(parameters.getAll('variables').map(text => parseParameter('variables', text)));
  const [extensions] = await Promise.all(
    parameters.getAll('extensions').map(text => parseParameter('extensions', text)),
  );
  return extensions;
}

/** @throws GraphQLError BAD_REQUEST */
async function parseParameter(name: string, text: string): Promise<unknown> {
  try {
    return await parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonRefusedError)) throw error;
    const isRepeated = error.reason.is === 'repeated-key';
    const message = isRepeated
      ? `An object in the ${name} search parameter has a key twice.`
      : `The ${name} search parameter contains invalid JSON.`;
    throw requestError('BAD_REQUEST', message, 400);
  }
}

/** Apollo Server makes a text of any hash: it takes a list for its item, and answers 500 for some objects. @throws GraphQLError */
function assertPersistedQuery(extensions: unknown): void {
  if (!isRecord(extensions) || !('persistedQuery' in extensions)) return;
  const { persistedQuery: asked } = extensions;
  if (!isRecord(asked) || typeof asked.sha256Hash !== 'string')
    throw requestError('BAD_REQUEST', 'Unsupported persisted query version', 400);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
