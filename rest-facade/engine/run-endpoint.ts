import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { deprecationOf } from './api-versions.ts';
import { buildResponse, type RestResponse, valueAt } from './build-response.ts';
import { coerceVariables } from './coerce-variables.ts';
import { assertReadableDate } from './conditional-requests.ts';
import type { Endpoint } from './endpoint.ts';
import { limitLinkQuery } from './link-query.ts';
import { addNegotiatedVariables } from './negotiated-variables.ts';
import { bodyMethods } from './operation.ts';
import { assertPageReachable, formatLinkHeader, readPageParameters } from './paging.ts';
import { ClientDisconnectedError, ProblemError, problemOf } from './problem.ts';
import type { RestContext } from './product.ts';
import { parseQueryString, type QueryParameters } from './query-string.ts';
import { type RequestBody, readBody } from './read-body.ts';
import { formatIdPath, type RequestedResource } from './resource-aliases.ts';
import type { RestHooks } from './rest-hooks.ts';
import { pathParameterNames } from './route-table.ts';

/** A request that has found its endpoint. */
export interface EndpointRequest {
  endpoint: Endpoint;
  path: Record<string, string>;
  restContext: RestContext;
  context: unknown;
}

/** What came along with it. */
interface RequestInput {
  query: QueryParameters;
  wish: ReturnType<typeof readPageParameters>;
  body: RequestBody;
}

type Options = Pick<RestHooks, 'product' | 'explain' | 'onDefect'>;

/** From a request that may come in to what it is answered with. */
export class EndpointRunner {
  readonly #options: Options;
  /** Of operations that read, as published. */
  readonly #paths: readonly string[];

  constructor(options: Options, paths: readonly string[]) {
    this.#options = options;
    this.#paths = paths;
  }

  /** Throws a Failed, or ClientDisconnectedError where nobody waits any more. */
  async answer(
    { endpoint, path, restContext, context }: EndpointRequest,
    place: RequestedResource,
  ): Promise<RestResponse> {
    const { product } = this.#options;
    const { operation } = endpoint;
    if (product.etags === 'of-body' && operation.method === 'GET') assertReadableDate(restContext.request.headers);
    const query = parseQueryString(restContext.target.search);
    const wish = readPageParameters(operation, product.paging, query);
    const limits = { most: operation.maxBody, held: product.maxBody, spooled: operation.spooled };
    const body = bodyMethods.has(operation.method)
      ? await readBody(restContext.request, limits, product.contentType)
      : undefined;
    try {
      return await this.#run({ endpoint, path, restContext, context }, place, { query, wish, body });
    } finally {
      if (body && 'close' in body) await body.close?.();
    }
  }

  async #run(
    { endpoint, path, restContext, context }: EndpointRequest,
    place: RequestedResource,
    { query, wish, body }: RequestInput,
  ): Promise<RestResponse> {
    const { product } = this.#options;
    const { operation, plan } = endpoint;
    const carriesBody = bodyMethods.has(operation.method);
    for (const name of pathParameterNames(operation.path)) path[name] ??= '';
    const given = { path, query, body, headers: restContext.request.headers, carriesBody };
    const { variables, problems } = coerceVariables(operation.parameters, given, product.jsonValues);
    // What the path names and cannot be is simply not there.
    if (problems.some(one => one.in === 'path')) throw new ProblemError({ kind: 'not-found', reason: 'parameter' });
    if (operation.needsBody && body === undefined) throw new ProblemError({ kind: 'no-body' });
    if (problems.length > 0) throw new ProblemError({ kind: 'problems', problems });
    addNegotiatedVariables(variables, operation.agreements, {
      MEDIA_TYPE: restContext.media?.variant,
      VERSION: restContext.version,
      PATHS: this.#paths,
    });
    assertPageReachable(plan.page?.most, product.paging, variables);
    const { pathname, search } = restContext.target;
    const target = plan.page
      ? { pathname, search: limitLinkQuery(operation, plan.page.style, search) }
      : restContext.target;
    let data = await this.#execute(endpoint, variables, context, restContext);
    if (wish.last && plan.page) {
      // By name the last page is known only after a first look; a second one is rarer than a count on every request.
      const last = Number(valueAt(data, [...plan.page.keys, 'last']));
      const there = { ...variables, [product.paging.page]: last };
      if (last > 1) data = await this.#execute(endpoint, there, context, restContext);
    }
    const answer = buildResponse(operation, plan, data, { target, origin: restContext.origin }, product.paging);
    const list = answer.outcome === undefined ? undefined : product.lists?.[answer.outcome];
    if (list !== undefined) answer.body = valueAt(answer.body, [list]);
    await this.#addLinkHeader(answer, restContext, place, Number(variables[product.paging.size]));
    return answer;
  }

  /** Neighbouring pages by the place's id, and what is said of a shape that is going to change. */
  async #addLinkHeader(
    { links, headers }: RestResponse,
    restContext: RestContext,
    place: RequestedResource,
    size: number,
  ): Promise<void> {
    const { paging, versions } = this.#options.product;
    const { target, origin, version } = restContext;
    const at = (pathname: string): string | undefined =>
      links && formatLinkHeader(links, pathname, origin, paging, size);
    let link = at(target.pathname);
    const located = link !== undefined && place.isNamed ? await place.located() : undefined;
    if (located) link = at(formatIdPath(place.place, located, restContext));
    const closing = versions && version !== undefined ? deprecationOf(versions, version, restContext) : undefined;
    Object.assign(headers, closing?.headers);
    const all = [link, closing?.link].filter(one => one !== undefined);
    if (all.length > 0) headers.Link = all.join(', ');
  }

  async #execute(
    { run }: Endpoint,
    variables: Record<string, unknown>,
    context: unknown,
    { request, events }: RestContext,
  ): Promise<Record<string, unknown>> {
    const result: ExecutionResult = await run(variables, context);
    // Whatever went wrong then went wrong because nobody waits any more.
    if (events?.signal.aborted) throw new ClientDisconnectedError();
    if (result.errors && result.errors.length > 0) throw this.#problemError(result.errors, request);
    return result.data as Record<string, unknown>;
  }

  /** A defect beside other errors is told all the same: whoever asked must not be the only one who could know. */
  #problemError(errors: readonly GraphQLError[], request: IncomingMessage): ProblemError {
    const { explain, onDefect } = this.#options;
    const causes = errors.map(error => error.originalError ?? error);
    const failures = causes.map(cause => problemOf(explain(cause) ?? cause));
    const defect = failures.indexOf(undefined);
    if (defect >= 0) onDefect(causes[defect], request);
    // The order of errors is the one in which resolvers happened to end; statuses give one that stays.
    const [failure] = failures.filter(one => one !== undefined).sort((a, b) => a.status - b.status);
    return new ProblemError(failure ?? { kind: 'defect' });
  }
}
