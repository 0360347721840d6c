import type { ServerResponse } from 'node:http';

/** The other end of an answer that is sent as it is made: what resolvers of a streamed operation find in their context. */
export interface EventSink {
  /** Sends one event; `data` goes as JSON. Nothing happens once the client is gone. */
  emit(event: string, data: unknown): void;
  /** Aborted when the client is gone before the answer was whole. */
  readonly signal: AbortSignal;
}

/**
 * Server-sent events in place of one answer. Nothing is sent before the first event, so that what fails before it has the
 * status and the JSON of any other failure. Event data is one line of JSON, so no text of anybody can begin an event.
 */
export class EventStream implements EventSink {
  readonly #response: ServerResponse;
  readonly #status: number;
  readonly #setHeaders: () => void;
  readonly #disconnected = new AbortController();

  /** `head` sets the headers that every answer has. */
  constructor({ response }: { response: ServerResponse }, status: number, head: () => void) {
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

  /** Whether something was sent: then the status is, too. */
  get begun(): boolean {
    return this.#response.headersSent;
  }

  emit(event: string, data: unknown): void {
    // Before anything is sent: a value that is no JSON is answered as a defect.
    const text = JSON.stringify(data ?? null);
    if (!/^\w+$/.test(event)) throw new TypeError(`«${event}» is no name of an event.`);
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (!this.begun) this.#start();
    this.#response.write(`event: ${event}\ndata: ${text}\n\n`);
  }

  /** The last event. */
  end(event: 'answer' | 'error', data: unknown): void {
    this.emit(event, data);
    this.#response.end();
  }

  #start(): void {
    this.#setHeaders();
    this.#response.statusCode = this.#status;
    this.#response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    this.#response.setHeader('Cache-Control', 'no-store');
    // A proxy that collects an answer before it sends it on would make a stream pointless.
    this.#response.setHeader('X-Accel-Buffering', 'no');
  }
}

/** Whether the client named events as what it wants, and not JSON rather. A wildcard asks for no stream. */
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
  // Of two that are wanted alike the one that stands first.
  return (
    events > json ||
    (events > 0 &&
      events === json &&
      [...weights.keys()].indexOf('text/event-stream') < [...weights.keys()].indexOf('application/json'))
  );
}
