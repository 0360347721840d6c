import type { RestResponse } from './build-response.ts';
import { computeBodyTag, matchesEtag, quoteEtag } from './conditional-requests.ts';
import { type Problem, ProblemError } from './problem.ts';
import type { Product, RestContext } from './product.ts';
import { RequestedResource, type RouteTarget } from './resource-aliases.ts';
import { renderBody } from './response-writer.ts';
import type { RestHooks } from './rest-hooks.ts';
import type { RouteMatch } from './route-table.ts';
import type { EndpointRunner } from './run-endpoint.ts';

/** Methods that replace, change or delete the resource of their path. POST creates another one. */
export const conditionalMethods: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

type Hooks = Pick<RestHooks, 'product' | 'forgetLoaded' | 'repeatInTransaction'>;

/** A write whose If-Match may have to be checked. */
interface ConditionalWrite {
  restContext: RestContext;
  context: unknown;
  /** Every route of the request's path. */
  matches: readonly RouteMatch<RouteTarget>[];
  /** Current names of the resource that the path begins with. */
  names: Record<string, string>;
}

/** Checks If-Match of writes (RFC 9110, 13.1.1) against the response of GET for the same path and the same caller. */
export class WritePreconditions {
  readonly #hooks: Hooks;
  readonly #runner: EndpointRunner;

  constructor(hooks: Hooks, runner: EndpointRunner) {
    this.#hooks = hooks;
    this.#runner = runner;
  }

  /**
   * Called before the body of the write is read, so that a refused one is not uploaded. The server repeats the check in the
   * transaction of the write, where concurrent conditional writes of one resource wait for each other.
   *
   * @throws ProblemError `precondition` if no tag of If-Match is current, and the error of the read, such as absence. A PUT of what
   * is absent is 412 instead, because without If-Match it might create it.
   */
  async assert({ restContext, context, matches, names }: ConditionalWrite): Promise<void> {
    const { request, operation } = restContext;
    const ifMatch = request.headers['if-match'];
    if (ifMatch === undefined || !conditionalMethods.has(String(request.method))) return;
    const match = matches.find(one => one.route.methods.has('GET'));
    const target = match?.route.methods.get('GET');
    if (!match || !target) return;
    const path = { ...match.parameters, ...names };
    const read = { restContext, context, match, target, path };
    const check = async (): Promise<void> => {
      const etag = await this.#currentEtag(read, operation?.method === 'PUT');
      if (!matchesEtag(ifMatch, etag)) throw new ProblemError({ kind: 'precondition', name: 'If-Match' });
    };
    try {
      await check();
    } finally {
      this.#hooks.forgetLoaded?.(context);
    }
    this.#hooks.repeatInTransaction?.(context, JSON.stringify([match.route.path, path]), check);
  }

  /** @throws ProblemError of the read; `precondition` for what is absent if `mayCreate` */
  async #currentEtag(
    { restContext, context, match, target, path }: Read,
    mayCreate: boolean,
  ): Promise<string | undefined> {
    const read: RestContext = { ...restContext, operation: target.endpoint.operation };
    // Without a look-up: the resource is found, or the read says that it is not.
    const resource = new RequestedResource(target, match, undefined);
    try {
      const answer = await this.#runner.execute(
        { endpoint: target.endpoint, path: { ...path }, restContext: read, context },
        resource,
        undefined,
      );
      return await etagOf(answer, this.#hooks.product, read);
    } catch (error) {
      const isAbsent = error instanceof ProblemError && saysAbsent(error.problem);
      if (isAbsent && mayCreate) throw new ProblemError({ kind: 'precondition', name: 'If-Match' });
      throw error;
    }
  }
}

/** The read whose tag decides. */
interface Read extends Pick<ConditionalWrite, 'restContext' | 'context'> {
  match: RouteMatch<RouteTarget>;
  target: RouteTarget;
  /** Parameters of the path with the current names. */
  path: Record<string, string>;
}

function saysAbsent(problem: Problem): boolean {
  return problem.kind === 'not-found' || (problem.kind === 'graph' && problem.status === 404);
}

/** The tag that a response has or would have: of a responder's value, of the operation, else of the JSON. */
async function etagOf(
  { status, headers, body, outcome }: RestResponse,
  product: Product,
  read: RestContext,
): Promise<string | undefined> {
  if (outcome !== undefined && product.responders[outcome]) {
    const etag = (body as { etag?: unknown } | null)?.etag ?? headers.ETag;
    return typeof etag === 'string' ? quoteEtag(etag) : undefined;
  }
  if (headers.ETag !== undefined) return headers.ETag;
  if (product.etags === 'none' || body === undefined || status >= 300) return undefined;
  const { text } = await renderBody(product, body, read);
  return (await computeBodyTag(text, product.expiringUrls)).etag;
}
