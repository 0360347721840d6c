import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type Answer, answerFor, valueAt } from './answer.ts';
import { readBody } from './body.ts';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { EventStream, type Live, wantsEvents } from './event-stream.ts';
import { ClientGone, Failed, type Failure, failureOf } from './failure.ts';
import { bodyMethods, type Method, type Operation } from './operation.ts';
import { readPageWish } from './paging.ts';
import type { ErrorAnswer, Exchange, Product } from './product.ts';
import { readQuery } from './query.ts';
import { finish } from './reply.ts';
import type { Match, RouteTable } from './routes.ts';
import { addressOf, targetOf } from './target.ts';
import { readVariables } from './variables.ts';

export interface DoorOptions {
  product: Product;
  /**
   * What resolvers get as their context. Where the method is wrong `operation` is undefined, and `offered` is what the path
   * has for other methods. `live` is there where the answer is sent as events while it is made. May throw or reject with an
   * error of the graph, such as a bad credential.
   */
  context(
    request: IncomingMessage,
    operation: Operation | undefined,
    offered: readonly Operation[],
    live: Live | undefined,
  ): unknown;
  /** Public origin of the request, such as https://api.example.org. */
  origin(request: IncomingMessage): string;
  /** The coded error that an unexpected one amounts to, such as a lost database; undefined for a defect. */
  explain(error: unknown): GraphQLError | undefined;
  /** Told about every defect, once, before 500 is answered. */
  onDefect(error: unknown, request: IncomingMessage): void;
}

/** An exchange, and where its answer goes while it is made. */
interface Served extends Exchange {
  events?: EventStream;
}

/** Takes the requests of one product from the first byte to the last. */
export class Door {
  readonly #options: DoorOptions;
  readonly #routes: RouteTable<Endpoint>;
  /** Longest first: the empty base path fits everything. */
  readonly #basePaths: string[];

  constructor(options: DoorOptions, routes: RouteTable<Endpoint>) {
    this.#options = options;
    this.#routes = routes;
    this.#basePaths = options.product.basePaths.toSorted((a, b) => b.length - a.length);
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const target = targetOf(request);
    const path = target && this.#relativePath(target.pathname);
    if (!target || path === undefined) return false;
    const { origin } = this.#options;
    const exchange: Served = {
      request,
      response,
      target,
      // Only links and redirects need it.
      get origin() {
        return origin(request);
      },
      headOnly: request.method === 'HEAD',
      status: 200,
    };
    this.#serve(exchange, path).catch((error: unknown) => this.#fail(exchange, error));
    return true;
  }

  #relativePath(pathname: string): string | undefined {
    for (const base of this.#basePaths) {
      if (pathname.startsWith(base) && (pathname[base.length] ?? '/') === '/')
        return pathname.slice(base.length) || '/';
    }
    return undefined;
  }

  /** The steps of a request, in the order in which published contracts let them fail. */
  async #serve(exchange: Served, path: string): Promise<void> {
    const { product } = this.#options;
    const { request } = exchange;
    const matches = this.#routes.match(path);
    const allow = allowed(matches);
    if (isPreflight(request) && allow.length > 0) {
      this.#send(exchange, { status: 204, headers: preflightHeaders(product.cors, allow), body: undefined });
      return;
    }
    if (matches.length === 0) {
      const slashed = product.trailingSlash === 'redirect' && !path.endsWith('/') ? this.#routes.match(`${path}/`) : [];
      if (slashed.length === 0) throw new Failed({ kind: 'not-found', reason: 'route' });
      if (request.method === 'GET' || request.method === 'HEAD') this.#sendToSlash(exchange);
      else await this.#serve(exchange, `${path}/`);
      return;
    }
    const method = (exchange.headOnly ? 'GET' : request.method) as Method;
    const match = matches.find(one => one.route.methods.has(method));
    const endpoint = match?.route.methods.get(method);
    const streams = endpoint?.operation.streams === true && wantsEvents(request.headers.accept);
    const refused = streams ? undefined : product.negotiate(request.headers.accept);
    if (refused) throw new Failed(refused);
    if (request.method === 'OPTIONS') {
      // What it tells stands in the documentation, so nobody has to say who is asking.
      this.#describe(exchange, matches, allow);
      return;
    }
    if (streams) exchange.events = new EventStream(exchange, endpoint.operation.status, () => this.#head(exchange, {}));
    const context = await this.#options.context(
      request,
      endpoint?.operation,
      endpoint ? [] : offeredBy(matches[0]),
      exchange.events,
    );
    if (!match || !endpoint) throw new Failed({ kind: 'method', method: String(request.method), allow });
    const answer = await this.#answer(endpoint, match, exchange, context);
    if (exchange.events) {
      exchange.events.end('answer', answer.body);
      return;
    }
    const responder = answer.outcome === undefined ? undefined : product.responders[answer.outcome];
    if (responder && !exchange.response.destroyed) await this.#respond(responder, exchange, answer);
    else this.#send(exchange, answer);
  }

  async #answer(endpoint: Endpoint, match: Match<Endpoint>, exchange: Served, context: unknown): Promise<Answer> {
    const { product } = this.#options;
    const { operation, plan } = endpoint;
    const query = readQuery(exchange.target.search);
    const wish = readPageWish(operation, product.paging, query);
    const carriesBody = bodyMethods.has(operation.method);
    const body = carriesBody ? await readBody(exchange.request, operation.maxBody, product.contentType) : undefined;
    const given = { path: match.parameters, query, body, headers: exchange.request.headers, carriesBody };
    const { variables, problems } = readVariables(operation.parameters, given, product.jsonValues);
    // What the path names and cannot be is simply not there.
    if (problems.some(one => one.in === 'path')) throw new Failed({ kind: 'not-found', reason: 'parameter' });
    if (operation.needsBody && body === undefined) throw new Failed({ kind: 'no-body' });
    if (problems.length > 0) throw new Failed({ kind: 'problems', problems });
    let data = await this.#execute(endpoint, variables, context, exchange);
    if (wish.last && plan.page) {
      // By name the last page is known only after a first look; a second one is rarer than a count on every request.
      const last = Number(valueAt(data, [...plan.page.keys, 'last']));
      const there = { ...variables, [product.paging.page]: last };
      if (last > 1) data = await this.#execute(endpoint, there, context, exchange);
    }
    return answerFor(operation, plan, data, exchange, product.paging);
  }

  async #execute(
    { run }: Endpoint,
    variables: Record<string, unknown>,
    context: unknown,
    { request, events }: Served,
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

  #describe(exchange: Exchange, matches: Match<Endpoint>[], allow: string[]): void {
    const headers = { Allow: allow.join(', ') };
    if (this.#options.product.options === 'empty') {
      this.#send(exchange, { status: 204, headers, body: undefined });
      return;
    }
    const first = [...(matches[0]?.route.methods.values() ?? [])][0]?.operation;
    const body = {
      name: first?.summary ?? '',
      description: first?.about ?? '',
      renders: ['application/json'],
      parses: ['application/json'],
    };
    this.#send(exchange, { status: 200, headers, body });
  }

  #sendToSlash(exchange: Exchange): void {
    const { pathname, search } = exchange.target;
    const headers = { Location: addressOf(exchange.origin, `${pathname}/`, search) };
    this.#send(exchange, { status: 301, headers, body: undefined });
  }

  /** Headers of an answer that is not sent after all must not stay for the error that is. */
  async #respond(
    responder: Product['responders'][string],
    exchange: Exchange,
    { status, headers, body }: Answer,
  ): Promise<void> {
    const { response } = exchange;
    const before = new Set(response.getHeaderNames());
    exchange.status = status;
    this.#head(exchange, headers);
    try {
      await responder.send(body as never, exchange);
    } catch (error) {
      if (!response.headersSent) {
        for (const name of response.getHeaderNames()) if (!before.has(name)) response.removeHeader(name);
      }
      throw error;
    }
  }

  #head({ request, response }: Exchange, headers: Record<string, string>): void {
    const { product } = this.#options;
    const all = { ...product.headers(request), ...corsHeaders(product.cors, request.headers.origin), ...headers };
    for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
  }

  #send(exchange: Exchange, { status, headers = {}, body }: ErrorAnswer): void {
    const { response, request, headOnly } = exchange;
    if (response.destroyed) return;
    // Before anything is set: a value that is no JSON is answered as a defect.
    const text = body === undefined ? undefined : JSON.stringify(body);
    this.#head(exchange, headers);
    response.statusCode = status;
    if (text !== undefined) {
      response.setHeader('Content-Type', this.#options.product.jsonType);
      response.setHeader('Content-Length', Buffer.byteLength(text));
    } else if (status !== 204) response.setHeader('Content-Length', 0);
    finish(request, response, headOnly ? undefined : text, this.#options.product.maxBody);
  }

  #fail(exchange: Served, error: unknown): void {
    const { response } = exchange;
    try {
      const failure = this.#failureOf(exchange, error);
      const answer = failure && this.#options.product.fail(failure);
      if (answer && exchange.events?.begun) {
        exchange.events.end('error', answer.body);
        return;
      }
      if (failure === undefined || answer === undefined || response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      if (failure.kind === 'method' && answer.status === 405) response.setHeader('Allow', failure.allow.join(', '));
      this.#send(exchange, answer);
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

/** By the most specific path alone: `/articles/bookmarks/` is not `/articles/{id}/`, though that would take it. */
function offeredBy(match: Match<Endpoint> | undefined): Operation[] {
  return [...(match?.route.methods.values() ?? [])].map(endpoint => endpoint.operation);
}

function allowed(matches: Match<Endpoint>[]): string[] {
  const methods = new Set<string>();
  for (const { route } of matches) for (const method of route.methods.keys()) methods.add(method);
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods];
}
