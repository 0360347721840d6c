import type { HttpResponse } from './http-messages.ts';

/** The client of a streamed operation, as its resolvers find it in their context. */
export interface EventSink {
  /** Sends one event with `data` as JSON; does nothing once the client has disconnected. */
  emit(event: string, data: unknown): void;
  /** Aborted when the client disconnects before the response is complete. */
  readonly signal: AbortSignal;
}

/**
 * A response as server-sent events. Nothing is sent before the first event, so that an earlier error has the status and the JSON
 * of any other error. Event data is one line of JSON, so that no text in it can start another event.
 */
export class EventStream implements EventSink {
  readonly #response: HttpResponse;
  readonly #status: number;
  readonly #setHeaders: () => void;
  readonly #disconnected = new AbortController();

  /** @param setHeaders sets the headers that every response has */
  constructor({ response }: { response: HttpResponse }, status: number, head: () => void) {
    this.#response = response;
    this.#status = status;
    this.#setHeaders = head;
    response.once('close', () => {
      if (!response.writableEnded) this.#disconnected.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#disconnected.signal;
  }

  /** Whether the status and the headers are sent. */
  get hasStarted(): boolean {
    return this.#response.headersSent;
  }

  emit(event: string, data: unknown): void {
    // Before anything is sent, so that a value without JSON is answered as a defect.
    const text = JSON.stringify(data ?? null);
    if (!/^\w+$/.test(event)) throw new TypeError(`«${event}» is not a valid event name.`);
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (!this.hasStarted) this.#start();
    this.#response.write(`event: ${event}\ndata: ${text}\n\n`);
  }

  /** Sends the last event and ends the response. */
  end(event: 'answer' | 'error', data: unknown): void {
    this.emit(event, data);
    this.#response.end();
  }

  #start(): void {
    this.#setHeaders();
    this.#response.statusCode = this.#status;
    this.#response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    this.#response.setHeader('Cache-Control', 'no-store');
    // nginx would buffer the stream.
    this.#response.setHeader('X-Accel-Buffering', 'no');
  }
}

/** Whether Accept names `text/event-stream` and does not prefer JSON. A wildcard does not ask for a stream. */
export function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes('text/event-stream')) return false;
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim());
    const [, weight] = /^q=(\d(?:\.\d{0,3})?)$/.exec(parameters.find(one => one.startsWith('q=')) ?? '') ?? [];
    if (!weights.has(type)) weights.set(type, weight === undefined ? 1 : Number(weight));
  }
  const events = weights.get('text/event-stream') ?? 0;
  const json = weights.get('application/json') ?? 0;
  // Equal weights: the first one wins.
  return (
    events > json ||
    (events > 0 &&
      events === json &&
      [...weights.keys()].indexOf('text/event-stream') < [...weights.keys()].indexOf('application/json'))
  );
}
