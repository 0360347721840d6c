import { serviceUnavailable } from '../errors/errors.ts';
import type { WorkEnd } from '../workers/work-budget.ts';

/** Of work that nobody waits for any more. One for all requests: its stack trace would cost each of them 20 µs. */
const requestEnded: Error = serviceUnavailable(
  { reason: 'request_ended' },
  'The request has ended before its work was done.',
);

/** The end of one request. Its AbortSignal is made on demand. */
export class RequestEnd implements WorkEnd {
  #controller: AbortController | undefined;
  #hasEnded = false;

  /** The response has been sent, or its client has left. */
  abort(): void {
    this.#hasEnded = true;
    this.#controller?.abort(requestEnded);
  }

  /** @throws SERVICE_UNAVAILABLE when it has ended */
  throwIfAborted(): void {
    if (this.#hasEnded) throw requestEnded;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#hasEnded) this.#controller.abort(requestEnded);
    return this.#controller.signal;
  }
}

/** The same for the work of queries: a mutation that has begun is done. */
export class QueryEnd implements WorkEnd {
  /** It is known during the request whether it is a mutation. */
  readonly #request: { readonly isMutation: boolean | undefined };
  readonly #end: RequestEnd;
  #signal: AbortSignal | undefined;

  constructor(request: { readonly isMutation: boolean | undefined }, end: RequestEnd) {
    this.#request = request;
    this.#end = end;
  }

  throwIfAborted(): void {
    if (this.#request.isMutation === false) this.#end.throwIfAborted();
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#follow(this.#end.signal);
    return this.#signal;
  }

  #follow(ended: AbortSignal): AbortSignal {
    const own = new AbortController();
    const stop = (): void => {
      if (this.#request.isMutation === false) own.abort(ended.reason);
    };
    if (ended.aborted) stop();
    else ended.addEventListener('abort', stop);
    return own.signal;
  }
}
