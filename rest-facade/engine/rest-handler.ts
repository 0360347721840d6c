import type { IncomingMessage, ServerResponse } from 'node:http';
import { selectVersion, unsupportedVersionError } from './api-versions.ts';
import { isPreflight, preflightHeaders } from './cors.ts';
import { acceptsEventStream, EventStream } from './event-stream.ts';
import { NotModifiedCache } from './not-modified-cache.ts';
import type { Method, Operation } from './operation.ts';
import { ClientDisconnectedError, type Problem, ProblemError, problemOf } from './problem.ts';
import type { ResolvedResource, RestContext } from './product.ts';
import { formatUrl, parseRequestTarget } from './request-target.ts';
import { formatIdPath, RequestedResource, type RouteTarget } from './resource-aliases.ts';
import { ResponseWriter } from './response-writer.ts';
import type { RestHooks } from './rest-hooks.ts';
import type { RouteMatch, RouteTable } from './route-table.ts';
import { EndpointRunner } from './run-endpoint.ts';

/** Takes the requests of one product from the first byte to the last. */
export class RestHandler {
  readonly #hooks: RestHooks;
  readonly #writer: ResponseWriter;
  readonly #runner: EndpointRunner;
  readonly #notModifiedCache: NotModifiedCache | undefined;
  readonly #routes: RouteTable<RouteTarget>;
  /** Longest first: the empty base path fits everything. */
  readonly #basePaths: string[];

  constructor(options: RestHooks, routes: RouteTable<RouteTarget>) {
    this.#hooks = options;
    this.#writer = new ResponseWriter(options);
    this.#notModifiedCache = options.standing && new NotModifiedCache(options.standing);
    this.#routes = routes;
    const reads = routes.routes.filter(one => one.methods.get('GET')?.byId === false);
    this.#runner = new EndpointRunner(
      options,
      reads.map(one => one.path.replaceAll('{+', '{')),
    );
    this.#basePaths = options.product.basePaths.toSorted((a, b) => b.length - a.length);
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const target = parseRequestTarget(request);
    const base = target && this.#basePathOf(target.pathname);
    if (!target || base === undefined) return false;
    const { origin, requestId, clock = () => new Date() } = this.#hooks;
    const restContext: RestContext = {
      request,
      response,
      target,
      // Neither a getter, although only links and redirects need it, nor any other function: an object that gets one that is
      // made anew has a hidden class of its own, which keeps the whole request until old memory is collected. What was copied
      // for it took 15 to 50 ms of each collection of young memory, which now takes 3.
      origin: origin(request),
      base,
      headOnly: request.method === 'HEAD',
      status: 200,
      personal: request.headers.authorization !== undefined,
      ...(requestId ? { id: requestId(request) } : {}),
      now: clock(),
    };
    this.#serve(restContext, target.pathname.slice(base.length) || '/').then(
      () => this.#notifyResponse(restContext, undefined),
      (error: unknown) => this.#handleError(restContext, error),
    );
    return true;
  }

  #basePathOf(pathname: string): string | undefined {
    return this.#basePaths.find(base => pathname.startsWith(base) && (pathname[base.length] ?? '/') === '/');
  }

  /** The steps of a request, in the order in which published contracts let them fail. */
  async #serve(restContext: RestContext, path: string): Promise<void> {
    const { product } = this.#hooks;
    const { request } = restContext;
    if (product.userAgent === 'required' && !request.headers['user-agent']?.trim())
      throw new ProblemError({ kind: 'header', name: 'User-Agent', is: 'missing', value: '' });
    const negotiated = product.negotiate(request.headers.accept);
    if (negotiated && !('kind' in negotiated)) restContext.media = negotiated;
    const matches = this.#routes.match(path);
    const allow = allowedMethods(matches);
    if (isPreflight(request) && (allow.length > 0 || product.cors.methods)) {
      this.#writer.send(restContext, { status: 204, headers: preflightHeaders(product.cors, allow), body: undefined });
      return;
    }
    if (matches.length === 0) {
      const slashed = product.trailingSlash === 'redirect' && !path.endsWith('/') ? this.#routes.match(`${path}/`) : [];
      if (slashed.length === 0) {
        await this.#charge(restContext, undefined);
        throw new ProblemError({ kind: 'not-found', reason: 'route' });
      }
      if (request.method === 'GET' || request.method === 'HEAD') this.#redirectToSlash(restContext);
      else await this.#serve(restContext, `${path}/`);
      return;
    }
    const version = product.versions && selectVersion(product.versions, request.headers);
    if (version !== undefined) restContext.version = version;
    const method = (restContext.headOnly ? 'GET' : request.method) as Method;
    const match = matches.find(one => one.route.methods.has(method));
    const served = match?.route.methods.get(method);
    const fitting = match ?? matches[0];
    if (fitting) restContext.route = { path: fitting.route.path, parameters: fitting.parameters };
    const streams = served?.endpoint.operation.streams === true && acceptsEventStream(request.headers.accept);
    if (negotiated && 'kind' in negotiated && !streams) throw new ProblemError(negotiated);
    if (request.method === 'OPTIONS') {
      // What it tells stands in the documentation, so nobody has to say who is asking.
      this.#answerOptions(restContext, matches, allow);
      return;
    }
    if (streams) {
      const { status } = served.endpoint.operation;
      restContext.events = new EventStream(restContext, status, () => this.#writer.head(restContext, {}));
    }
    if (served) restContext.operation = served.endpoint.operation;
    const { retired } = served?.endpoint.operation ?? {};
    // What is gone is gone for everybody: nobody has to say who is asking to be told so.
    if (retired && product.servesRetired !== true && retired.retiredAt <= restContext.now)
      throw new ProblemError({ kind: 'retired', ...retired });
    const offered = served ? [] : operationsAt(matches[0]);
    const context = await this.#authenticate(restContext, offered);
    const { locate } = this.#hooks;
    if (!match || !served) throw new ProblemError({ kind: 'method', method: String(request.method), allow });
    const poll = await this.#notModifiedCache?.poll(restContext, context);
    if (poll && 'headers' in poll) {
      this.#writer.unchanged(restContext, poll.headers);
      return;
    }
    const place = new RequestedResource(served, match, locate && ((kind, wish) => locate(context, kind, wish)));
    const names = await this.#resolveResource(place, restContext);
    if (names === undefined) return;
    const asked = { endpoint: served.endpoint, path: { ...match.parameters, ...names }, restContext, context };
    const answer = await this.#runner.answer(asked, place).catch(async (error: unknown) => {
      // Only what failed is looked up: a read of what is there has found it already.
      if (error instanceof ProblemError && mayHaveMoved(error.failure) && place.isNamed) {
        const located = await place.located();
        if (located?.moved) return this.#redirectToMoved(located, place, restContext);
        if (!located) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
      }
      throw error;
    });
    if (!answer) return;
    if (restContext.events) {
      restContext.events.end('answer', answer.body);
      return;
    }
    const responder = answer.outcome === undefined ? undefined : product.responders[answer.outcome];
    if (responder && !restContext.response.destroyed) await this.#writer.respond(responder, restContext, answer);
    else {
      const unchanged = this.#writer.deliver(restContext, answer);
      if (unchanged) poll?.remember(unchanged);
    }
  }

  /** Who is asking, and whether they may come in: a bad credential, a bad version, one request too many, a missing credential. */
  async #authenticate(restContext: RestContext, offered: readonly Operation[]): Promise<unknown> {
    const { context: contextOf, admit, isPersonal, product } = this.#hooks;
    const { request, operation, version } = restContext;
    // An answer to a credential that is no good says nothing about the contract.
    delete restContext.version;
    const context = await contextOf(request, operation, offered, restContext.events);
    restContext.context = context;
    restContext.personal = isPersonal?.(context) ?? restContext.personal;
    if (product.versions && version === undefined) throw unsupportedVersionError(product.versions, request.headers);
    if (version !== undefined) restContext.version = version;
    await this.#charge(restContext, context);
    await admit?.(context, request, operation, offered);
    return context;
  }

  async #charge(restContext: RestContext, context: unknown): Promise<void> {
    const charge = await this.#hooks.charge?.(context, restContext);
    if (!charge) return;
    restContext.charge = charge;
    const { response } = restContext;
    const settle = (): void => charge.settle(response.statusCode);
    // A client may have left while it was counted.
    if (response.destroyed) settle();
    else response.once('close', settle);
  }

  /**
   * Names of the place that a path by id is about, or that is looked up before a write reads its body. Undefined when the
   * caller was sent elsewhere.
   */
  async #resolveResource(
    place: RequestedResource,
    restContext: RestContext,
  ): Promise<Record<string, string> | undefined> {
    const { operation, target, headOnly, request } = restContext;
    const reads = headOnly || request.method === 'GET';
    // Not where the slash belongs to a path that the operation names itself.
    const slashed = target.pathname.endsWith('/') && !place.path.endsWith('/');
    const further = operation?.redirectsSlash === true && reads && slashed;
    if (!place.isById && !(place.isNamed && (!reads || further))) return {};
    const located = await place.located();
    if (!located) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
    if (located.moved) {
      this.#redirectToMoved(located, place, restContext);
      return undefined;
    }
    if (!further) return located.names;
    const pathname = place.isById ? target.pathname : formatIdPath(place.place, located, restContext);
    const headers = { 'Content-Type': 'text/html;charset=utf-8' };
    this.#writer.send(restContext, {
      status: 302,
      headers: { ...headers, Location: formatUrl(restContext.origin, pathname.replace(/\/$/, ''), '') },
      body: undefined,
    });
    return undefined;
  }

  #redirectToMoved(located: ResolvedResource, { place }: RequestedResource, restContext: RestContext): undefined {
    const { product } = this.#hooks;
    const { request, origin, target, headOnly } = restContext;
    const status = headOnly || request.method === 'GET' ? 301 : 307;
    const Location = formatUrl(origin, formatIdPath(place, located, restContext), target.search);
    this.#writer.send(restContext, { status, headers: { Location }, body: product.moved?.(Location, restContext) });
    return undefined;
  }

  #answerOptions(restContext: RestContext, matches: RouteMatch<RouteTarget>[], allow: string[]): void {
    const headers = { Allow: allow.join(', ') };
    const { options, cors } = this.#hooks.product;
    if (options === 'empty') {
      this.#writer.send(restContext, {
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
    this.#writer.send(restContext, { status: 200, headers, body });
  }

  #redirectToSlash(restContext: RestContext): void {
    const { pathname, search } = restContext.target;
    const headers = { Location: formatUrl(restContext.origin, `${pathname}/`, search) };
    this.#writer.send(restContext, { status: 301, headers, body: undefined });
  }

  #handleError(restContext: RestContext, error: unknown): void {
    const failure = this.#problemFor(restContext, error);
    this.#sendProblem(restContext, failure);
    if (failure) this.#notifyResponse(restContext, failure);
  }

  #notifyResponse(restContext: RestContext, failure: Problem | undefined): void {
    try {
      this.#hooks.answered?.(restContext, failure);
    } catch (defect) {
      this.#hooks.onDefect(defect, restContext.request);
    }
  }

  #sendProblem(restContext: RestContext, failure: Problem | undefined): void {
    const { response } = restContext;
    try {
      const answer = failure && this.#hooks.product.fail(failure, restContext);
      if (answer && restContext.events?.begun) {
        restContext.events.end('error', answer.body);
        return;
      }
      if (failure === undefined || answer === undefined || response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      if (failure.kind === 'method' && answer.status === 405) response.setHeader('Allow', failure.allow.join(', '));
      this.#writer.send(restContext, answer);
    } catch (defect) {
      // Nobody is left to catch this, and one request must not end the process.
      this.#hooks.onDefect(defect, restContext.request);
      response.destroy();
    }
  }

  /** Undefined when nobody is there to be told. */
  #problemFor({ request }: RestContext, error: unknown): Problem | undefined {
    if (error instanceof ProblemError) return error.failure;
    if (error instanceof ClientDisconnectedError) return undefined;
    const { explain, onDefect } = this.#hooks;
    const failure = problemOf(explain(error) ?? error);
    if (!failure) onDefect(error, request);
    return failure ?? { kind: 'defect' };
  }
}

/** Whether it says that something is not there, or says it of an input that only makes sense where something is. */
function mayHaveMoved(failure: Problem): boolean {
  if (failure.kind === 'graph') return failure.status === 404;
  return failure.kind === 'problems' || failure.kind === 'not-found';
}

/** By the most specific path alone: `/articles/bookmarks/` is not `/articles/{id}/`, though that would take it. */
function operationsAt(match: RouteMatch<RouteTarget> | undefined): Operation[] {
  return [...(match?.route.methods.values() ?? [])].map(served => served.endpoint.operation);
}

function allowedMethods(matches: RouteMatch<RouteTarget>[]): string[] {
  const methods = new Set<string>();
  for (const { route } of matches) for (const method of route.methods.keys()) methods.add(method);
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods];
}
