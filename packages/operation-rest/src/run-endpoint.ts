import type { Hash } from 'node:crypto';
import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { deprecationOf } from './api-versions.ts';
import { buildResponse, pageInfoOf, type RestResponse, valueAt } from './build-response.ts';
import { coerceVariables } from './coerce-variables.ts';
import { assertReadableDate } from './conditional-requests.ts';
import type { Endpoint } from './endpoint.ts';
import { nextEventLoopTurn } from './event-loop-turn.ts';
import { addNamedIds } from './global-ids.ts';
import type { HttpRequest } from './http-messages.ts';
import { hasLongList } from './json-text.ts';
import { limitLinkQuery } from './link-query.ts';
import { variablesAtPage } from './list-parameters.ts';
import { addNegotiatedVariables } from './negotiated-variables.ts';
import { bodyMethods, type Operation } from './operation.ts';
import {
  assertPageReachable,
  formatLinkHeader,
  type RequestedPage,
  readPageParameters,
  requestedPage,
} from './paging.ts';
import { ClientDisconnectedError, ProblemError, problemOf, publishInputs } from './problem.ts';
import type { RestContext } from './product.ts';
import { parseQueryString } from './query-string.ts';
import { type RequestBody, readBody } from './read-body.ts';
import { formatIdPath, type RequestedResource } from './resource-aliases.ts';
import type { RestHooks } from './rest-hooks.ts';
import { addWordVariables } from './word-parameters.ts';

/** An authorized request for an endpoint. */
export interface EndpointRequest {
  endpoint: Endpoint;
  /** Decoded path parameters. */
  path: Record<string, string>;
  restContext: RestContext;
  context: unknown;
  /** Takes the bytes of the body. */
  hash?: Hash | undefined;
}

/** What the parameters of a request say. Not changed: requests with the same query string share one. */
interface RequestInput {
  variables: Readonly<Record<string, unknown>>;
  page: RequestedPage;
  /** The keyword for the last page was sent. */
  isLast: boolean;
  /** The answer is 404 unless it is another error. */
  isUnknown: boolean;
  /** The query string that page links repeat. */
  search: string;
}

/** Bounds of the query strings that are parsed once, for each operation: together some 100 KB. */
const maxKnownQueries = 200;
const maxKnownQueryLength = 200;

const unknownParameter = (): ProblemError => new ProblemError({ kind: 'not-found', reason: 'parameter' });

function dependsOnQueryOnly({ method, pathParameters, negotiated, parameters }: Operation): boolean {
  const isQueryOnly = pathParameters.length === 0 && negotiated.length === 0 && !bodyMethods.has(method);
  return isQueryOnly && parameters.every(one => one.place === 'query');
}

type Hooks = Pick<RestHooks, 'product' | 'explain' | 'onDefect' | 'acquireTempFileSlot' | 'readList'>;

/** Reads the parameters of a request, executes the operation and builds the response. */
export class EndpointRunner {
  readonly #hooks: Hooks;
  /** Parsing and coercing a query string took a twentieth of a list. */
  readonly #knownInputs = new WeakMap<Operation, LRUCache<string, RequestInput>>();

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  /** @throws ProblemError, or ClientDisconnectedError if the client has disconnected */
  async run(request: EndpointRequest, resource: RequestedResource): Promise<RestResponse> {
    const body = await this.#readBody(request);
    try {
      return await this.execute(request, resource, body);
    } finally {
      if (body && 'close' in body) await body.close?.();
    }
  }

  /** Reads the body for its hash alone. */
  async hashBody(request: EndpointRequest): Promise<void> {
    const body = await this.#readBody(request);
    if (body && 'close' in body) await body.close?.();
  }

  async #readBody({ endpoint: { operation }, restContext, context, hash }: EndpointRequest): Promise<RequestBody> {
    const { product, acquireTempFileSlot } = this.#hooks;
    if (product.etags === 'of-body' && operation.method === 'GET') assertReadableDate(restContext.request.headers);
    if (!bodyMethods.has(operation.method)) return undefined;
    const limits = {
      maxBytes: operation.maxBodyBytes,
      maxTextBytes: operation.maxTextBytes,
      maxMemoryBytes: product.maxBodyBytes,
      longTextKeys: operation.longTextKeys,
      acquireFileSlot: acquireTempFileSlot && (() => acquireTempFileSlot(context)),
    };
    return readBody(restContext.request, limits, product.contentType, hash);
  }

  /** Executes the endpoint with a body that has been read. @throws ProblemError */
  async execute(
    { endpoint, path, restContext, context }: EndpointRequest,
    resource: RequestedResource,
    body: RequestBody,
  ): Promise<RestResponse> {
    const { product } = this.#hooks;
    const { operation, plan } = endpoint;
    const { variables, page, isLast, isUnknown, search } = await this.#readInput(endpoint, path, restContext, body);
    const { pathname } = restContext.target;
    const target = { pathname, search };
    let data = await this.#execute(endpoint, variables, context, restContext);
    if (isUnknown) throw unknownParameter();
    let number = page.number;
    if (isLast && plan.page && valueAt(data, plan.page.keys)) {
      // The number of the last page is known only from a first execution. Two executions of this rare request cost less than a
      // count in every request.
      const last = Number(pageInfoOf(operation, plan.page, data, page)?.last);
      const parameter = operation.parameters.find(({ name }) => name === product.paging.page);
      const onLastPage = variablesAtPage(variables, parameter, last, page.size);
      if (last > 1) data = await this.#execute(endpoint, onLastPage, context, restContext);
      number = last;
    }
    // Each step passes over all items: the execution, the rules of fields, the serializer.
    const isLong = plan.body !== undefined && hasLongList(valueAt(data, plan.body));
    if (isLong) await nextEventLoopTurn();
    const requested = { number, size: page.size };
    const answer = buildResponse(operation, plan, data, { ...restContext, target }, product.paging, requested);
    const list = answer.outcome === undefined ? undefined : product.listOutcomes?.[answer.outcome];
    if (list !== undefined) answer.body = valueAt(answer.body, [list]);
    if (isLong) await nextEventLoopTurn();
    await this.#addLinkHeader(answer, restContext, resource, page.size);
    return answer;
  }

  /** @throws ProblemError for parameters that are missing, invalid or out of reach */
  async #readInput(
    { operation, plan }: Endpoint,
    path: Record<string, string>,
    { target, request, media, version }: RestContext,
    body: RequestBody,
  ): Promise<RequestInput> {
    const { product } = this.#hooks;
    const known = this.#knownInputs.get(operation)?.get(target.search);
    if (known) return known;
    const query = parseQueryString(target.search);
    const { isLast } = readPageParameters(operation, product.paging, query);
    for (const name of operation.pathParameters) path[name] ??= '';
    const sources = { path, query, body, headers: request.headers };
    const { variables, words, invalid, isUnknown, conflict } = await coerceVariables(
      operation.parameters,
      sources,
      product,
    );
    // An invalid path parameter names nothing that exists.
    const inPath = invalid.find(one => one.in === 'path');
    if (inPath && operation.refusesInvalidPath)
      throw new ProblemError({ kind: 'invalid-path', name: String(inPath.path[0]) });
    if (inPath) throw unknownParameter();
    if (operation.needsBody && body === undefined) throw new ProblemError({ kind: 'no-body' });
    if (invalid.length > 0) throw new ProblemError({ kind: 'invalid-parameters', invalid });
    if (conflict !== undefined) throw new ProblemError({ kind: 'conflict', message: conflict });
    addNamedIds(variables, operation.namedIds, path);
    addWordVariables(variables, operation.wordVariables, words);
    addNegotiatedVariables(variables, operation.negotiated, {
      MEDIA_TYPE: media?.variant,
      VERSION: version,
    });
    const page = requestedPage(product.paging, variables);
    assertPageReachable(plan.page?.maxEntries, page);
    const search = plan.page ? limitLinkQuery(operation, plan.page.style, target.search) : target.search;
    const numbered = operation.parameters.find(({ name, cursorAfter }) => name === product.paging.page && cursorAfter);
    const atPage = variablesAtPage(variables, numbered, page.number, page.size);
    const input = { variables: atPage, page, isLast, isUnknown, search };
    if (dependsOnQueryOnly(operation) && target.search.length <= maxKnownQueryLength) {
      const inputs = this.#knownInputs.get(operation) ?? new LRUCache({ max: maxKnownQueries });
      this.#knownInputs.set(operation, inputs.set(target.search, input));
    }
    return input;
  }

  /** The links of the operation, those of neighbouring pages, by the resource's id if it has one, and the deprecation of the API version. */
  async #addLinkHeader(
    { links, headers }: RestResponse,
    restContext: RestContext,
    resource: RequestedResource,
    size: number,
  ): Promise<void> {
    const { paging, versions } = this.#hooks.product;
    const { target, origin, version } = restContext;
    const linksAt = (pathname: string): string | undefined =>
      links && formatLinkHeader(links, pathname, origin, paging, size);
    let link = linksAt(target.pathname);
    const found = link !== undefined && resource.isByName ? await resource.find() : undefined;
    if (found) link = linksAt(formatIdPath(resource.alias, found, restContext));
    const deprecation = versions && version !== undefined ? deprecationOf(versions, version, restContext) : undefined;
    Object.assign(headers, deprecation?.headers);
    const all = [headers.Link, link, deprecation?.link].filter(one => one !== undefined);
    if (all.length > 0) headers.Link = all.join(', ');
  }

  async #execute(
    { execute, operation }: Endpoint,
    variables: Readonly<Record<string, unknown>>,
    context: unknown,
    { request, events }: RestContext,
  ): Promise<Record<string, unknown>> {
    const result = await execute(variables, context, events ? undefined : this.#hooks.readList);
    // Errors after a disconnect are its consequence.
    if (events?.signal.aborted) throw new ClientDisconnectedError();
    if (result.errors && result.errors.length > 0) throw this.#problemError(result.errors, operation, request);
    return result.data as Record<string, unknown>;
  }

  /** Selects the error to answer. A defect is reported even if another error is answered, so that it appears in the log. */
  #problemError(errors: readonly GraphQLError[], { inputNames }: Operation, request: HttpRequest): ProblemError {
    const { explain, onDefect } = this.#hooks;
    const causes = errors.map(error => error.originalError ?? error);
    const refused = causes.find(cause => cause instanceof ProblemError);
    if (refused) return refused;
    const problems = causes.map((cause, index) => {
      const problem = problemOf(explain?.(cause) ?? cause);
      return problem && publishInputs(problem, inputNames, errors[index]?.path ?? []);
    });
    const defect = problems.indexOf(undefined);
    if (defect >= 0) onDefect(causes[defect], request);
    // Errors are in the order in which resolvers ended; sorting by status makes the answer deterministic.
    const [problem] = problems.filter(one => one !== undefined).sort((a, b) => a.status - b.status);
    return new ProblemError(problem ?? { kind: 'defect' });
  }
}
