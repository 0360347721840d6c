import { createHash, type Hash } from 'node:crypto';
import type { KeyClaim, StoredResponse } from './key-claim.ts';
import { bodyMethods } from './operation.ts';
import { ProblemError, problemOf } from './problem.ts';
import type { ErrorResponse, RestContext } from './product.ts';
import type { RestHooks } from './rest-hooks.ts';

/** A request with a key. */
export interface KeyedRequest {
  claim: KeyClaim;
  /** Of the method and the target, and then of the body. */
  hash: Hash;
}

type Hooks = Pick<RestHooks, 'product' | 'claimKey' | 'explain' | 'onDefect'>;

/** A String of structured fields (RFC 9651, 3.3.3), or the same without quotes; its text is compared. */
const keyFormat = /^(?:"((?:[^"\\]|\\["\\]){1,255})"|([\w.:~+/=-]{1,255}))$/;

const keyProblem = (reason: 'malformed' | 'in-flight' | 'reused' | 'lost'): ProblemError =>
  new ProblemError({ kind: 'idempotency-key', reason });

/** Executes a write with `Idempotency-Key` once, and answers its repetitions as the first request (draft-ietf-httpapi-idempotency-key-header). */
export class IdempotentRequests {
  readonly #hooks: Hooks;

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  /** Undefined for a request without a key. @throws ProblemError for a malformed key, and while the first request with it runs */
  async begin({ request, target }: RestContext, context: unknown): Promise<KeyedRequest | undefined> {
    const { claimKey, product } = this.#hooks;
    const header = request.headers['idempotency-key'];
    if (!claimKey || !product.idempotencyKeys || header === undefined || !bodyMethods.has(String(request.method)))
      return undefined;
    const [, quoted, key = quoted] = keyFormat.exec(String(header).trim()) ?? [];
    if (key === undefined) throw keyProblem('malformed');
    const hash = createHash('sha256').update(JSON.stringify([request.method, target.pathname, target.search]));
    const claim = await claimKey(context, key, () => hash.copy().digest('hex'));
    if (claim === 'in-flight') throw keyProblem('in-flight');
    return { claim, hash };
  }

  /** The response to repeat, after the body was hashed. @throws ProblemError for another request, and if there is no response */
  responseOf({ claim: { first }, hash }: KeyedRequest): StoredResponse {
    if (first?.fingerprint !== hash.copy().digest('hex')) throw keyProblem('reused');
    if (!first.response) throw keyProblem('lost');
    return first.response;
  }

  /** Stores a response before it is sent. Without the store the response is sent nevertheless: it says what was written. */
  async finish(keyed: KeyedRequest, response: StoredResponse | undefined, { request }: RestContext): Promise<void> {
    await keyed.claim.finish(response).catch((error: unknown) => {
      if (!this.#hooks.explain?.(error)) this.#hooks.onDefect(error, request);
    });
  }

  /** The same for an error; that of a server is not stored. */
  async fail(keyed: KeyedRequest, error: unknown, restContext: RestContext): Promise<void> {
    const { product, explain } = this.#hooks;
    const problem = error instanceof ProblemError ? error.problem : problemOf(explain?.(error) ?? error);
    const answer = problem && product.formatProblem(problem, restContext);
    await this.finish(keyed, answer && answer.status < 500 ? storedOf(answer) : undefined, restContext);
  }
}

function storedOf({ status, headers = {}, body, type }: ErrorResponse): StoredResponse {
  return { status, headers, text: type === undefined ? JSON.stringify(body) : String(body), type };
}
