import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { addAgreed } from './agreements.ts';
import { type Answer, answerFor, valueAt } from './answer.ts';
import { type Body, readBody } from './body.ts';
import { checkDate } from './conditional.ts';
import type { DoorOptions } from './door-options.ts';
import type { Endpoint } from './endpoint.ts';
import { ClientGone, Failed, failureOf } from './failure.ts';
import { linkQuery } from './link-query.ts';
import { bodyMethods } from './operation.ts';
import { checkReach, linkHeader, readPageWish } from './paging.ts';
import { type PlaceOfRequest, pathById } from './places.ts';
import type { Exchange } from './product.ts';
import { type Query, readQuery } from './query.ts';
import { pathNames } from './routes.ts';
import { readVariables } from './variables.ts';
import { closingOf } from './versions.ts';

/** A request that has found its endpoint. */
export interface Matched {
  endpoint: Endpoint;
  path: Record<string, string>;
  exchange: Exchange;
  context: unknown;
}

/** What came along with it. */
interface Sent {
  query: Query;
  wish: ReturnType<typeof readPageWish>;
  body: Body;
}

type Options = Pick<DoorOptions, 'product' | 'explain' | 'onDefect'>;

/** From a request that may come in to what it is answered with. */
export class EndpointRunner {
  readonly #options: Options;
  /** Of operations that read, as published. */
  readonly #paths: readonly string[];

  constructor(options: Options, paths: readonly string[]) {
    this.#options = options;
    this.#paths = paths;
  }

  /** Throws a Failed, or ClientGone where nobody waits any more. */
  async answer({ endpoint, path, exchange, context }: Matched, place: PlaceOfRequest): Promise<Answer> {
    const { product } = this.#options;
    const { operation } = endpoint;
    if (product.etags === 'of-body' && operation.method === 'GET') checkDate(exchange.request.headers);
    const query = readQuery(exchange.target.search);
    const wish = readPageWish(operation, product.paging, query);
    const limits = { most: operation.maxBody, held: product.maxBody, spooled: operation.spooled };
    const body = bodyMethods.has(operation.method)
      ? await readBody(exchange.request, limits, product.contentType)
      : undefined;
    try {
      return await this.#answer({ endpoint, path, exchange, context }, place, { query, wish, body });
    } finally {
      if (body && 'close' in body) await body.close?.();
    }
  }

  async #answer(
    { endpoint, path, exchange, context }: Matched,
    place: PlaceOfRequest,
    { query, wish, body }: Sent,
  ): Promise<Answer> {
    const { product } = this.#options;
    const { operation, plan } = endpoint;
    const carriesBody = bodyMethods.has(operation.method);
    for (const name of pathNames(operation.path)) path[name] ??= '';
    const given = { path, query, body, headers: exchange.request.headers, carriesBody };
    const { variables, problems } = readVariables(operation.parameters, given, product.jsonValues);
    // What the path names and cannot be is simply not there.
    if (problems.some(one => one.in === 'path')) throw new Failed({ kind: 'not-found', reason: 'parameter' });
    if (operation.needsBody && body === undefined) throw new Failed({ kind: 'no-body' });
    if (problems.length > 0) throw new Failed({ kind: 'problems', problems });
    addAgreed(variables, operation.agreements, {
      MEDIA_TYPE: exchange.media?.variant,
      VERSION: exchange.version,
      PATHS: this.#paths,
    });
    checkReach(plan.page?.most, product.paging, variables);
    const { pathname, search } = exchange.target;
    const target = plan.page ? { pathname, search: linkQuery(operation, plan.page.style, search) } : exchange.target;
    let data = await this.#execute(endpoint, variables, context, exchange);
    if (wish.last && plan.page) {
      // By name the last page is known only after a first look; a second one is rarer than a count on every request.
      const last = Number(valueAt(data, [...plan.page.keys, 'last']));
      const there = { ...variables, [product.paging.page]: last };
      if (last > 1) data = await this.#execute(endpoint, there, context, exchange);
    }
    const answer = answerFor(operation, plan, data, { target, origin: exchange.origin }, product.paging);
    const list = answer.outcome === undefined ? undefined : product.lists?.[answer.outcome];
    if (list !== undefined) answer.body = valueAt(answer.body, [list]);
    await this.#link(answer, exchange, place, Number(variables[product.paging.size]));
    return answer;
  }

  /** Neighbouring pages by the place's id, and what is said of a shape that is going to change. */
  async #link({ links, headers }: Answer, exchange: Exchange, place: PlaceOfRequest, size: number): Promise<void> {
    const { paging, versions } = this.#options.product;
    const { target, origin, version } = exchange;
    const at = (pathname: string): string | undefined => links && linkHeader(links, pathname, origin, paging, size);
    let link = at(target.pathname);
    const located = link !== undefined && place.isNamed ? await place.located() : undefined;
    if (located) link = at(pathById(place.place, located, exchange));
    const closing = versions && version !== undefined ? closingOf(versions, version, exchange) : undefined;
    Object.assign(headers, closing?.headers);
    const all = [link, closing?.link].filter(one => one !== undefined);
    if (all.length > 0) headers.Link = all.join(', ');
  }

  async #execute(
    { run }: Endpoint,
    variables: Record<string, unknown>,
    context: unknown,
    { request, events }: Exchange,
  ): Promise<Record<string, unknown>> {
    const result: ExecutionResult = await run(variables, context);
    // Whatever went wrong then went wrong because nobody waits any more.
    if (events?.signal.aborted) throw new ClientGone();
    if (result.errors && result.errors.length > 0) throw this.#failed(result.errors, request);
    return result.data as Record<string, unknown>;
  }

  /** A defect beside other errors is told all the same: whoever asked must not be the only one who could know. */
  #failed(errors: readonly GraphQLError[], request: IncomingMessage): Failed {
    const { explain, onDefect } = this.#options;
    const causes = errors.map(error => error.originalError ?? error);
    const failures = causes.map(cause => failureOf(explain(cause) ?? cause));
    const defect = failures.indexOf(undefined);
    if (defect >= 0) onDefect(causes[defect], request);
    // The order of errors is the one in which resolvers happened to end; statuses give one that stays.
    const [failure] = failures.filter(one => one !== undefined).sort((a, b) => a.status - b.status);
    return new Failed(failure ?? { kind: 'defect' });
  }
}
