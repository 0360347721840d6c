import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type Answer, answerFor, valueAt } from './answer.ts';
import { readBody } from './body.ts';
import { checkDate } from './conditional.ts';
import { isPreflight, preflightHeaders } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { ClientGone, Failed, type Failure, failureOf } from './failure.ts';
import { bodyMethods, type Method, type Operation } from './operation.ts';
import { checkReach, linkHeader, readPageWish } from './paging.ts';
import { PlaceOfRequest, type PlaceWish, pathById, type Served } from './places.ts';
import type { Exchange, Located, Product } from './product.ts';
import { readQuery } from './query.ts';
import { type Match, pathNames, type RouteTable } from './routes.ts';
import { Sender } from './sender.ts';
import { addressOf, targetOf } from './target.ts';
import { addAgreed, readVariables } from './variables.ts';
import { closingOf, unsupportedVersion, versionOf } from './versions.ts';

export interface DoorOptions {
  product: Product;
  /**
   * What resolvers get as their context. Where the method is wrong `operation` is undefined, and `offered` is what the path
   * has for other methods. May throw or reject with an error of the graph, such as a bad credential.
   */
  context(request: IncomingMessage, operation: Operation | undefined, offered: readonly Operation[]): unknown;
  /**
   * Whether the caller that `context` found may come in at all, asked once the version of the contract is known: throws or
   * rejects where a credential is missing. Parameters as of `context`.
   */
  admit?(
    context: unknown,
    request: IncomingMessage,
    operation: Operation | undefined,
    offered: readonly Operation[],
  ): void | Promise<void>;
  /** Looks a place up for the caller; undefined where there is none that the caller may see. Asked once per request. */
  locate?(context: unknown, kind: string, wish: PlaceWish): Promise<Located | undefined>;
  /** Whether an answer to the caller is for this caller alone, and kept by no shared cache. */
  isPersonal?(context: unknown): boolean;
  /** What the server's log calls a request. */
  requestId?(request: IncomingMessage): string;
  /** The present. */
  clock?(): Date;
  /** Public origin of the request, such as https://api.example.org. */
  origin(request: IncomingMessage): string;
  /** The coded error that an unexpected one amounts to, such as a lost database; undefined for a defect. */
  explain(error: unknown): GraphQLError | undefined;
  /** Told about every defect, once, before 500 is answered. */
  onDefect(error: unknown, request: IncomingMessage): void;
}

/** A request that has found its endpoint. */
interface Matched {
  endpoint: Endpoint;
  path: Record<string, string>;
  exchange: Exchange;
  context: unknown;
}

/** Takes the requests of one product from the first byte to the last. */
export class Door {
  readonly #options: DoorOptions;
  readonly #sender: Sender;
  readonly #routes: RouteTable<Served>;
  /** Longest first: the empty base path fits everything. */
  readonly #basePaths: string[];

  /** Of operations that read. */
  readonly #paths: readonly string[];

  constructor(options: DoorOptions, routes: RouteTable<Served>) {
    this.#options = options;
    this.#sender = new Sender(options.product);
    this.#routes = routes;
    this.#paths = routes.routes
      .filter(one => one.methods.get('GET')?.byId === false)
      .map(one => one.path.replaceAll('{+', '{'));
    this.#basePaths = options.product.basePaths.toSorted((a, b) => b.length - a.length);
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const target = targetOf(request);
    const base = target && this.#basePathOf(target.pathname);
    if (!target || base === undefined) return false;
    const { origin, requestId, clock = () => new Date() } = this.#options;
    const exchange: Exchange = {
      request,
      response,
      target,
      // Only links and redirects need it.
      get origin() {
        return origin(request);
      },
      base,
      headOnly: request.method === 'HEAD',
      status: 200,
      personal: request.headers.authorization !== undefined,
      ...(requestId ? { id: requestId(request) } : {}),
      now: clock(),
    };
    this.#serve(exchange, target.pathname.slice(base.length) || '/').catch((error: unknown) =>
      this.#fail(exchange, error),
    );
    return true;
  }

  #basePathOf(pathname: string): string | undefined {
    return this.#basePaths.find(base => pathname.startsWith(base) && (pathname[base.length] ?? '/') === '/');
  }

  /** The steps of a request, in the order in which published contracts let them fail. */
  async #serve(exchange: Exchange, path: string): Promise<void> {
    const { product } = this.#options;
    const { request } = exchange;
    if (product.userAgent === 'required' && !request.headers['user-agent']?.trim())
      throw new Failed({ kind: 'header', name: 'User-Agent', is: 'missing', value: '' });
    const negotiated = product.negotiate(request.headers.accept);
    if (negotiated && !('kind' in negotiated)) exchange.media = negotiated;
    const matches = this.#routes.match(path);
    const allow = allowed(matches);
    if (isPreflight(request) && (allow.length > 0 || product.cors.methods)) {
      this.#sender.send(exchange, { status: 204, headers: preflightHeaders(product.cors, allow), body: undefined });
      return;
    }
    if (matches.length === 0) {
      const slashed = product.trailingSlash === 'redirect' && !path.endsWith('/') ? this.#routes.match(`${path}/`) : [];
      if (slashed.length === 0) throw new Failed({ kind: 'not-found', reason: 'route' });
      if (request.method === 'GET' || request.method === 'HEAD') this.#sendToSlash(exchange);
      else await this.#serve(exchange, `${path}/`);
      return;
    }
    const version = product.versions && versionOf(product.versions, request.headers);
    if (version !== undefined) exchange.version = version;
    if (negotiated && 'kind' in negotiated) throw new Failed(negotiated);
    if (request.method === 'OPTIONS') {
      // What it tells stands in the documentation, so nobody has to say who is asking.
      this.#describe(exchange, matches, allow);
      return;
    }
    const method = (exchange.headOnly ? 'GET' : request.method) as Method;
    const match = matches.find(one => one.route.methods.has(method));
    const served = match?.route.methods.get(method);
    if (served) exchange.operation = served.endpoint.operation;
    const offered = served ? [] : offeredBy(matches);
    const context = await this.#enter(exchange, offered);
    const { locate } = this.#options;
    if (!match || !served) throw new Failed({ kind: 'method', method: String(request.method), allow });
    const place = new PlaceOfRequest(served, match, locate && ((kind, wish) => locate(context, kind, wish)));
    const names = await this.#namesOf(place, exchange);
    if (names === undefined) return;
    const asked = { endpoint: served.endpoint, path: { ...match.parameters, ...names }, exchange, context };
    const answer = await this.#answer(asked, place).catch(async (error: unknown) => {
      // Only what failed is looked up: a read of what is there has found it already.
      if (error instanceof Failed && mayBeElsewhere(error.failure) && place.isNamed) {
        const located = await place.located();
        if (located?.moved) return this.#moved(located, place, exchange);
        if (!located) throw new Failed({ kind: 'not-found', reason: 'absent' });
      }
      throw error;
    });
    if (!answer) return;
    const responder = answer.outcome === undefined ? undefined : product.responders[answer.outcome];
    if (responder && !exchange.response.destroyed) await this.#sender.respond(responder, exchange, answer);
    else this.#sender.deliver(exchange, answer);
  }

  /** Who is asking, and whether they may come in: a bad credential, then a bad version, then a missing credential. */
  async #enter(exchange: Exchange, offered: readonly Operation[]): Promise<unknown> {
    const { context: contextOf, admit, isPersonal, product } = this.#options;
    const { request, operation, version } = exchange;
    // An answer to a credential that is no good says nothing about the contract.
    delete exchange.version;
    const context = await contextOf(request, operation, offered);
    exchange.personal = isPersonal?.(context) ?? exchange.personal;
    if (product.versions && version === undefined) throw unsupportedVersion(product.versions, request.headers);
    if (version !== undefined) exchange.version = version;
    await admit?.(context, request, operation, offered);
    return context;
  }

  /**
   * Names of the place that a path by id is about, or that is looked up before a write reads its body. Undefined when the
   * caller was sent elsewhere.
   */
  async #namesOf(place: PlaceOfRequest, exchange: Exchange): Promise<Record<string, string> | undefined> {
    const { operation, target, headOnly, request } = exchange;
    const reads = headOnly || request.method === 'GET';
    // Not where the slash belongs to a path that the operation names itself.
    const slashed = target.pathname.endsWith('/') && !place.path.endsWith('/');
    const further = operation?.redirectsSlash === true && reads && slashed;
    if (!place.isById && !(place.isNamed && (!reads || further))) return {};
    const located = await place.located();
    if (!located) throw new Failed({ kind: 'not-found', reason: 'absent' });
    if (located.moved) {
      this.#moved(located, place, exchange);
      return undefined;
    }
    if (!further) return located.names;
    const pathname = place.isById ? target.pathname : pathById(place.place, located, exchange);
    const headers = { 'Content-Type': 'text/html;charset=utf-8' };
    this.#sender.send(exchange, {
      status: 302,
      headers: { ...headers, Location: addressOf(exchange.origin, pathname.replace(/\/$/, ''), '') },
      body: undefined,
    });
    return undefined;
  }

  #moved(located: Located, { place }: PlaceOfRequest, exchange: Exchange): undefined {
    const { product } = this.#options;
    const { request, origin, target, headOnly } = exchange;
    const status = headOnly || request.method === 'GET' ? 301 : 307;
    const Location = addressOf(origin, pathById(place, located, exchange), target.search);
    this.#sender.send(exchange, { status, headers: { Location }, body: product.moved?.(Location, exchange) });
    return undefined;
  }

  async #answer({ endpoint, path, exchange, context }: Matched, place: PlaceOfRequest): Promise<Answer> {
    const { product } = this.#options;
    const { operation, plan } = endpoint;
    if (product.etags === 'of-body' && operation.method === 'GET') checkDate(exchange.request.headers);
    const query = readQuery(exchange.target.search);
    const wish = readPageWish(operation, product.paging, query);
    const carriesBody = bodyMethods.has(operation.method);
    const body = carriesBody ? await readBody(exchange.request, operation.maxBody, product.contentType) : undefined;
    for (const name of pathNames(operation.path)) path[name] ??= '';
    const given = { path, query, body, headers: exchange.request.headers, carriesBody };
    const { variables, problems } = readVariables(operation.parameters, given, product.jsonValues);
    // What the path names and cannot be is simply not there.
    if (problems.some(one => one.in === 'path')) throw new Failed({ kind: 'not-found', reason: 'parameter' });
    if (problems.length > 0) throw new Failed({ kind: 'problems', problems });
    addAgreed(variables, operation.agreements, {
      MEDIA_TYPE: exchange.media?.variant,
      VERSION: exchange.version,
      PATHS: this.#paths,
    });
    checkReach(plan.page?.most, product.paging, variables);
    let data = await this.#execute(endpoint, variables, context, exchange.request);
    if (wish.last && plan.page) {
      // By name the last page is known only after a first look; a second one is rarer than a count on every request.
      const last = Number(valueAt(data, [...plan.page.keys, 'last']));
      const there = { ...variables, [product.paging.page]: last };
      if (last > 1) data = await this.#execute(endpoint, there, context, exchange.request);
    }
    const answer = answerFor(operation, plan, data, exchange, product.paging);
    await this.#link(answer, exchange, place, Number(variables[product.paging.size]));
    return answer;
  }

  /** Neighbouring pages by the place's id, and what is said of a shape that is going to change. */
  async #link({ links, headers }: Answer, exchange: Exchange, place: PlaceOfRequest, size: number): Promise<void> {
    const { paging, versions } = this.#options.product;
    const { target, origin, version } = exchange;
    const at = (pathname: string): string | undefined =>
      links && linkHeader(links, { ...target, pathname }, origin, paging, size);
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
    request: IncomingMessage,
  ): Promise<Record<string, unknown>> {
    const result: ExecutionResult = await run(variables, context);
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

  #describe(exchange: Exchange, matches: Match<Served>[], allow: string[]): void {
    const headers = { Allow: allow.join(', ') };
    const { options, cors } = this.#options.product;
    if (options === 'empty') {
      this.#sender.send(exchange, {
        status: 204,
        headers: { ...preflightHeaders(cors, allow), ...headers },
        body: undefined,
      });
      return;
    }
    const first = [...(matches[0]?.route.methods.values() ?? [])][0]?.endpoint.operation;
    const body = {
      name: first?.summary ?? '',
      description: first?.about ?? '',
      renders: ['application/json'],
      parses: ['application/json'],
    };
    this.#sender.send(exchange, { status: 200, headers, body });
  }

  #sendToSlash(exchange: Exchange): void {
    const { pathname, search } = exchange.target;
    const headers = { Location: addressOf(exchange.origin, `${pathname}/`, search) };
    this.#sender.send(exchange, { status: 301, headers, body: undefined });
  }

  #fail(exchange: Exchange, error: unknown): void {
    const { response } = exchange;
    try {
      const failure = this.#failureOf(exchange, error);
      if (failure === undefined || response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      const answer = this.#options.product.fail(failure, exchange);
      if (failure.kind === 'method' && answer.status === 405) response.setHeader('Allow', failure.allow.join(', '));
      this.#sender.send(exchange, answer);
    } catch (defect) {
      // Nobody is left to catch this, and one request must not end the process.
      this.#options.onDefect(defect, exchange.request);
      response.destroy();
    }
  }

  /** Undefined when nobody is there to be told. */
  #failureOf({ request }: Exchange, error: unknown): Failure | undefined {
    if (error instanceof Failed) return error.failure;
    if (error instanceof ClientGone) return undefined;
    const { explain, onDefect } = this.#options;
    const failure = failureOf(explain(error) ?? error);
    if (!failure) onDefect(error, request);
    return failure ?? { kind: 'defect' };
  }
}

/** Whether it says that something is not there, or says it of an input that only makes sense where something is. */
function mayBeElsewhere(failure: Failure): boolean {
  if (failure.kind === 'graph') return failure.code === 'NOT_FOUND';
  return failure.kind === 'problems' || failure.kind === 'not-found';
}

function offeredBy(matches: Match<Served>[]): Operation[] {
  return matches.flatMap(({ route }) => [...route.methods.values()].map(served => served.endpoint.operation));
}

function allowed(matches: Match<Served>[]): string[] {
  const methods = new Set<string>();
  for (const { route } of matches) for (const method of route.methods.keys()) methods.add(method);
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods];
}
