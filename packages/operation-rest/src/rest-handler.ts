import { selectVersion } from './api-versions.ts';
import { authenticate, chargeRequest } from './authenticate.ts';
import type { RestResponse } from './build-response.ts';
import { isPreflight, preflightHeaders } from './cors.ts';
import { ErrorHandler } from './error-handler.ts';
import { acceptsEventStream, EventStream } from './event-stream.ts';
import type { HttpRequest, HttpResponse } from './http-messages.ts';
import { IdempotentRequests } from './idempotent-requests.ts';
import { NotModifiedCache } from './not-modified-cache.ts';
import type { Method } from './operation.ts';
import { type Problem, ProblemError } from './problem.ts';
import type { RestContext } from './product.ts';
import { Redirects } from './redirects.ts';
import { parseRequestTarget } from './request-target.ts';
import { allowedMethods, operationsAt, RequestedResource, type RouteTarget } from './resource-aliases.ts';
import { ResponseWriter } from './response-writer.ts';
import type { RestHooks } from './rest-hooks.ts';
import type { RouteMatch, RouteTable } from './route-table.ts';
import { type EndpointRequest, EndpointRunner } from './run-endpoint.ts';
import { WritePreconditions } from './write-preconditions.ts';

/** Handles the requests of one product, from the request line to the end of the response. */
export class RestHandler {
  readonly #hooks: RestHooks;
  readonly #routes: RouteTable<RouteTarget>;
  readonly #writer: ResponseWriter;
  readonly #redirects: Redirects;
  readonly #errors: ErrorHandler;
  readonly #runner: EndpointRunner;
  readonly #preconditions: WritePreconditions;
  readonly #idempotency: IdempotentRequests;
  readonly #notModifiedCache: NotModifiedCache | undefined;
  /** Longest first: the empty base path matches everything. */
  readonly #basePaths: string[];

  constructor(hooks: RestHooks, routes: RouteTable<RouteTarget>) {
    this.#hooks = hooks;
    this.#routes = routes;
    this.#writer = new ResponseWriter(hooks);
    this.#redirects = new Redirects(hooks.product, this.#writer);
    this.#errors = new ErrorHandler(hooks, this.#writer);
    this.#runner = new EndpointRunner(hooks);
    this.#idempotency = new IdempotentRequests(hooks);
    this.#preconditions = new WritePreconditions(hooks, this.#runner);
    this.#notModifiedCache = hooks.notModifiedCache && new NotModifiedCache(hooks.notModifiedCache);
    this.#basePaths = hooks.product.basePaths.toSorted((a, b) => b.length - a.length);
  }

  /** Returns false, and touches nothing, for a path outside the product's base paths. */
  handle(request: HttpRequest, response: HttpResponse): boolean {
    const target = parseRequestTarget(request);
    const basePath = target && this.#basePathOf(target.pathname);
    if (!target || basePath === undefined) return false;
    const { origin, requestId, clock = () => new Date() } = this.#hooks;
    const restContext: RestContext = {
      request,
      response,
      target,
      // Computed for every request although only links and redirects need it. A getter or any other new function would give the
      // object a hidden class of its own, which keeps the request alive until old memory is collected: minor collections took
      // 15 to 50 ms instead of 3.
      origin: origin(request),
      basePath,
      headOnly: request.method === 'HEAD',
      status: 200,
      personal: request.headers.authorization !== undefined,
      ...(requestId ? { id: requestId(request) } : {}),
      now: clock(),
    };
    this.#serve(restContext, target.pathname.slice(basePath.length) || '/').then(
      () => this.#errors.reportResponse(restContext, undefined),
      (error: unknown) => this.#errors.handle(restContext, error),
    );
    return true;
  }

  /** Whether a path is one of an endpoint. */
  serves(pathname: string): boolean {
    const basePath = this.#basePathOf(pathname);
    return basePath !== undefined && this.#routes.match(pathname.slice(basePath.length) || '/').length > 0;
  }

  #basePathOf(pathname: string): string | undefined {
    return this.#basePaths.find(base => pathname.startsWith(base) && (pathname[base.length] ?? '/') === '/');
  }

  /** The steps up to the route, in the order in which the published contracts answer errors. */
  async #serve(restContext: RestContext, path: string): Promise<void> {
    const { product } = this.#hooks;
    const { request } = restContext;
    if (product.userAgent === 'required' && !request.headers['user-agent']?.trim())
      throw new ProblemError({ kind: 'header', name: 'User-Agent', reason: 'missing', value: '' });
    const negotiated = product.negotiate(request.headers.accept, request.headers);
    if (negotiated && !('kind' in negotiated)) restContext.media = negotiated;
    const matches = this.#routes.match(path);
    if (isPreflight(request) && (matches.length > 0 || product.cors.methods)) {
      const headers = preflightHeaders(product.cors, allowedMethods(matches));
      this.#writer.send(restContext, { status: 204, headers, body: undefined });
      return;
    }
    if (matches.length === 0) {
      await this.#serveUnknownPath(restContext, path);
      return;
    }
    const version = product.versions && selectVersion(product.versions, request.headers);
    if (version !== undefined) restContext.version = version;
    const method = (restContext.headOnly ? 'GET' : request.method) as Method;
    const match = matches.find(one => one.route.methods.has(method));
    const target = match?.route.methods.get(method);
    const bestMatch = match ?? matches[0];
    if (bestMatch) restContext.route = { path: bestMatch.route.path, parameters: bestMatch.parameters };
    const streams = target?.endpoint.operation.streams === true && acceptsEventStream(request.headers.accept);
    if (negotiated && 'kind' in negotiated && !streams) throw new ProblemError(negotiated);
    if (request.method === 'OPTIONS') {
      // No authentication: the response contains what the public documentation does.
      this.#answerOptions(restContext, matches, allowedMethods(matches));
      return;
    }
    if (streams) {
      const { status } = target.endpoint.operation;
      restContext.events = new EventStream(restContext, status, () => this.#writer.setHeaders(restContext, {}));
    }
    if (target) restContext.operation = target.endpoint.operation;
    const { retired } = target?.endpoint.operation ?? {};
    // No authentication: a retired endpoint is gone for every caller.
    if (retired && product.servesRetired !== true && retired.retiredAt <= restContext.now)
      throw new ProblemError({ kind: 'retired', ...retired });
    const context = await authenticate(this.#hooks, restContext, target ? [] : operationsAt(matches[0]));
    if (!match || !target)
      throw new ProblemError({ kind: 'method', method: String(request.method), allow: allowedMethods(matches) });
    await this.#serveMatch(restContext, context, { matches, match, target });
  }

  /** Redirects or serves a path that lacks only its trailing slash. */
  async #serveUnknownPath(restContext: RestContext, path: string): Promise<void> {
    const { request } = restContext;
    const mayLackSlash = this.#hooks.product.trailingSlash === 'redirect' && !path.endsWith('/');
    if (!mayLackSlash || this.#routes.match(`${path}/`).length === 0) {
      await chargeRequest(this.#hooks, restContext, undefined);
      throw new ProblemError({ kind: 'not-found', reason: 'route' });
    }
    if (request.method === 'GET' || request.method === 'HEAD') this.#redirects.addSlash(restContext);
    else await this.#serve(restContext, `${path}/`);
  }

  /** The steps of an authorized request for an endpoint. */
  async #serveMatch(restContext: RestContext, context: unknown, { matches, match, target }: Routed): Promise<void> {
    const { findResource } = this.#hooks;
    const poll = await this.#notModifiedCache?.lookUp(restContext, context);
    if (poll && 'headers' in poll) {
      this.#writer.sendNotModified(restContext, poll.headers);
      return;
    }
    const find = findResource && ((kind: string, lookup: Lookup) => findResource(context, kind, lookup));
    const resource = new RequestedResource(target, match, find);
    const names = await this.#resolveNames(resource, restContext);
    if (names === undefined) return;
    const keyed = await this.#idempotency.begin(restContext, context);
    const path = { ...match.parameters, ...names };
    const endpointRequest = { endpoint: target.endpoint, path, restContext, context, hash: keyed?.hash };
    if (keyed?.claim.first) {
      await this.#runner.hashBody(endpointRequest);
      this.#writer.sendStored(restContext, this.#idempotency.responseOf(keyed));
      return;
    }
    try {
      await this.#preconditions.assert({ restContext, context, matches, names });
      const answer = await this.#run(endpointRequest, resource);
      if (keyed)
        await this.#idempotency.finish(keyed, answer && (await this.#writer.store(restContext, answer)), restContext);
      const notModified = answer && (await this.#writer.sendAnswer(restContext, answer));
      if (notModified) poll?.remember(notModified);
    } catch (error) {
      if (keyed) await this.#idempotency.fail(keyed, error, restContext);
      throw error;
    }
  }

  /** Executes the endpoint; undefined if it failed because the resource has moved, which is redirected. */
  async #run(request: EndpointRequest, resource: RequestedResource): Promise<RestResponse | undefined> {
    try {
      return await this.#runner.run(request, resource);
    } catch (error) {
      // The resource is looked up only after a failure: a successful read has found it.
      if (error instanceof ProblemError && mayHaveMoved(error.problem) && resource.isByName) {
        const found = await resource.find();
        if (found?.hasMoved) {
          this.#redirects.toMoved(request.restContext, resource, found);
          return undefined;
        }
        if (!found) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
      }
      throw error;
    }
  }

  /**
   * The names of a resource whose path is by id, or that must be looked up before a write reads its body; `{}` if no lookup is
   * needed. Undefined if a redirect was sent.
   */
  async #resolveNames(
    resource: RequestedResource,
    restContext: RestContext,
  ): Promise<Record<string, string> | undefined> {
    const { operation, target, headOnly, request } = restContext;
    const reads = headOnly || request.method === 'GET';
    // A slash that is part of the route's own path stays.
    const hasExtraSlash = target.pathname.endsWith('/') && !resource.path.endsWith('/');
    const dropsSlash = operation?.redirectsSlash === true && reads && hasExtraSlash;
    if (!resource.isById && !(resource.isByName && (!reads || dropsSlash))) return {};
    const found = await resource.find();
    if (!found) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
    if (found.hasMoved) this.#redirects.toMoved(restContext, resource, found);
    else if (dropsSlash) this.#redirects.dropSlash(restContext, resource, found);
    else return found.names;
    return undefined;
  }

  #answerOptions(restContext: RestContext, matches: RouteMatch<RouteTarget>[], allow: string[]): void {
    const { describeOptions, cors } = this.#hooks.product;
    const headers = { Allow: allow.join(', ') };
    if (describeOptions) {
      const body = describeOptions(operationsAt(matches[0])[0]);
      this.#writer.send(restContext, { status: 200, headers, body });
    } else {
      const all = { ...preflightHeaders(cors, allow), ...headers };
      this.#writer.send(restContext, { status: 204, headers: all, body: undefined });
    }
  }
}

/** A request's endpoint, and every route of its path. */
interface Routed {
  matches: RouteMatch<RouteTarget>[];
  match: RouteMatch<RouteTarget>;
  target: RouteTarget;
}

type Lookup = Parameters<NonNullable<RestHooks['findResource']>>[2];

/** Whether the problem says that something is absent, or concerns input that is only valid for an existing resource. */
function mayHaveMoved(problem: Problem): boolean {
  if (problem.kind === 'graph') return problem.status === 404;
  return problem.kind === 'invalid-parameters' || problem.kind === 'not-found';
}
