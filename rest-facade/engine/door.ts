import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPreflight, preflightHeaders } from './cors.ts';
import type { DoorOptions } from './door-options.ts';
import { EventStream, wantsEvents } from './event-stream.ts';
import { ClientGone, Failed, type Failure, failureOf } from './failure.ts';
import type { Method, Operation } from './operation.ts';
import { PlaceOfRequest, pathById, type Served } from './places.ts';
import type { Exchange, Located } from './product.ts';
import type { Match, RouteTable } from './routes.ts';
import { EndpointRunner } from './run-endpoint.ts';
import { Sender } from './sender.ts';
import { StandingAnswers } from './standing-answers.ts';
import { addressOf, targetOf } from './target.ts';
import { unsupportedVersion, versionOf } from './versions.ts';

/** Takes the requests of one product from the first byte to the last. */
export class Door {
  readonly #options: DoorOptions;
  readonly #sender: Sender;
  readonly #runner: EndpointRunner;
  readonly #standing: StandingAnswers | undefined;
  readonly #routes: RouteTable<Served>;
  /** Longest first: the empty base path fits everything. */
  readonly #basePaths: string[];

  constructor(options: DoorOptions, routes: RouteTable<Served>) {
    this.#options = options;
    this.#sender = new Sender(options);
    this.#standing = options.standing && new StandingAnswers(options.standing);
    this.#routes = routes;
    const reads = routes.routes.filter(one => one.methods.get('GET')?.byId === false);
    this.#runner = new EndpointRunner(
      options,
      reads.map(one => one.path.replaceAll('{+', '{')),
    );
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
    this.#serve(exchange, target.pathname.slice(base.length) || '/').then(
      () => this.#tell(exchange, undefined),
      (error: unknown) => this.#fail(exchange, error),
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
      if (slashed.length === 0) {
        await this.#charge(exchange, undefined);
        throw new Failed({ kind: 'not-found', reason: 'route' });
      }
      if (request.method === 'GET' || request.method === 'HEAD') this.#sendToSlash(exchange);
      else await this.#serve(exchange, `${path}/`);
      return;
    }
    const version = product.versions && versionOf(product.versions, request.headers);
    if (version !== undefined) exchange.version = version;
    const method = (exchange.headOnly ? 'GET' : request.method) as Method;
    const match = matches.find(one => one.route.methods.has(method));
    const served = match?.route.methods.get(method);
    const fitting = match ?? matches[0];
    if (fitting) exchange.route = { path: fitting.route.path, parameters: fitting.parameters };
    const streams = served?.endpoint.operation.streams === true && wantsEvents(request.headers.accept);
    if (negotiated && 'kind' in negotiated && !streams) throw new Failed(negotiated);
    if (request.method === 'OPTIONS') {
      // What it tells stands in the documentation, so nobody has to say who is asking.
      this.#describe(exchange, matches, allow);
      return;
    }
    if (streams) {
      const { status } = served.endpoint.operation;
      exchange.events = new EventStream(exchange, status, () => this.#sender.head(exchange, {}));
    }
    if (served) exchange.operation = served.endpoint.operation;
    const { retired } = served?.endpoint.operation ?? {};
    // What is gone is gone for everybody: nobody has to say who is asking to be told so.
    if (retired && product.servesRetired !== true && retired.retiredAt <= exchange.now)
      throw new Failed({ kind: 'retired', ...retired });
    const offered = served ? [] : offeredBy(matches[0]);
    const context = await this.#enter(exchange, offered);
    const { locate } = this.#options;
    if (!match || !served) throw new Failed({ kind: 'method', method: String(request.method), allow });
    const poll = await this.#standing?.poll(exchange, context);
    if (poll && 'headers' in poll) {
      this.#sender.unchanged(exchange, poll.headers);
      return;
    }
    const place = new PlaceOfRequest(served, match, locate && ((kind, wish) => locate(context, kind, wish)));
    const names = await this.#namesOf(place, exchange);
    if (names === undefined) return;
    const asked = { endpoint: served.endpoint, path: { ...match.parameters, ...names }, exchange, context };
    const answer = await this.#runner.answer(asked, place).catch(async (error: unknown) => {
      // Only what failed is looked up: a read of what is there has found it already.
      if (error instanceof Failed && mayBeElsewhere(error.failure) && place.isNamed) {
        const located = await place.located();
        if (located?.moved) return this.#moved(located, place, exchange);
        if (!located) throw new Failed({ kind: 'not-found', reason: 'absent' });
      }
      throw error;
    });
    if (!answer) return;
    if (exchange.events) {
      exchange.events.end('answer', answer.body);
      return;
    }
    const responder = answer.outcome === undefined ? undefined : product.responders[answer.outcome];
    if (responder && !exchange.response.destroyed) await this.#sender.respond(responder, exchange, answer);
    else {
      const unchanged = this.#sender.deliver(exchange, answer);
      if (unchanged) poll?.remember(unchanged);
    }
  }

  /** Who is asking, and whether they may come in: a bad credential, a bad version, one request too many, a missing credential. */
  async #enter(exchange: Exchange, offered: readonly Operation[]): Promise<unknown> {
    const { context: contextOf, admit, isPersonal, product } = this.#options;
    const { request, operation, version } = exchange;
    // An answer to a credential that is no good says nothing about the contract.
    delete exchange.version;
    const context = await contextOf(request, operation, offered, exchange.events);
    exchange.context = context;
    exchange.personal = isPersonal?.(context) ?? exchange.personal;
    if (product.versions && version === undefined) throw unsupportedVersion(product.versions, request.headers);
    if (version !== undefined) exchange.version = version;
    await this.#charge(exchange, context);
    await admit?.(context, request, operation, offered);
    return context;
  }

  async #charge(exchange: Exchange, context: unknown): Promise<void> {
    const charge = await this.#options.charge?.(context, exchange);
    if (!charge) return;
    exchange.charge = charge;
    const { response } = exchange;
    const settle = (): void => charge.settle(response.statusCode);
    // A client may have left while it was counted.
    if (response.destroyed) settle();
    else response.once('close', settle);
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
    const failure = this.#failureOf(exchange, error);
    this.#answerFailure(exchange, failure);
    if (failure) this.#tell(exchange, failure);
  }

  #tell(exchange: Exchange, failure: Failure | undefined): void {
    try {
      this.#options.answered?.(exchange, failure);
    } catch (defect) {
      this.#options.onDefect(defect, exchange.request);
    }
  }

  #answerFailure(exchange: Exchange, failure: Failure | undefined): void {
    const { response } = exchange;
    try {
      const answer = failure && this.#options.product.fail(failure, exchange);
      if (answer && exchange.events?.begun) {
        exchange.events.end('error', answer.body);
        return;
      }
      if (failure === undefined || answer === undefined || response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
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
  if (failure.kind === 'graph') return failure.status === 404;
  return failure.kind === 'problems' || failure.kind === 'not-found';
}

/** By the most specific path alone: `/articles/bookmarks/` is not `/articles/{id}/`, though that would take it. */
function offeredBy(match: Match<Served> | undefined): Operation[] {
  return [...(match?.route.methods.values() ?? [])].map(served => served.endpoint.operation);
}

function allowed(matches: Match<Served>[]): string[] {
  const methods = new Set<string>();
  for (const { route } of matches) for (const method of route.methods.keys()) methods.add(method);
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods];
}
