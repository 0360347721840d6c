import { Readable, Writable } from 'node:stream';
import type { Facade } from './facade.ts';
import type { HttpRequest, HttpResponse, RequestHeaders } from './http-messages.ts';

/** Handles a request of the Fetch standard. Rejects if the request is aborted, or fails without a response. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Serves a facade as `Request → Response`, for Deno, Bun, Hono and workers with Node's modules `stream`, `buffer` and `crypto`.
 * A host that normalizes paths and percent-encoding does so before the facade sees them.
 *
 * @param otherwise handles requests outside the base paths; without it they are answered 404 without a body
 */
export function fetchHandler(facade: Pick<Facade, 'handle'>, otherwise: FetchHandler = notFound): FetchHandler {
  return request => {
    const incoming = new FetchRequest(request);
    const outgoing = new FetchResponse(request.method === 'HEAD');
    const abort = (): void => {
      outgoing.destroy(new DOMException('The request was aborted.', 'AbortError'));
    };
    if (request.signal.aborted) return Promise.reject(request.signal.reason);
    if (!facade.handle(incoming, outgoing)) return otherwise(request);
    request.signal.addEventListener('abort', abort);
    outgoing.once('close', () => {
      request.signal.removeEventListener('abort', abort);
      // What is left of the request body is the host's to discard.
      incoming.destroy();
    });
    return outgoing.answer;
  };
}

function notFound(): Promise<Response> {
  return Promise.resolve(new Response(null, { status: 404 }));
}

/** The body of a `Request` as a stream of Node, with what precedes it. */
class FetchRequest extends Readable implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly complete = true;
  readonly #body: ReadableStream<Uint8Array> | null;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request) {
    super();
    this.method = request.method;
    this.url = request.url.replace(/#.*$/s, '');
    const headers: RequestHeaders = Object.fromEntries(request.headers);
    this.#body = request.body;
    // A `Request` that was not received has no header for its body.
    if (this.#body && headers['content-length'] === undefined) headers['transfer-encoding'] ??= 'chunked';
    this.headers = headers;
    // An aborted body is the end of the request, and its response says so.
    this.on('error', () => {});
  }

  override _read(): void {
    if (!this.#body) {
      this.push(null);
      return;
    }
    this.#reader ??= this.#body.getReader();
    this.#reader.read().then(
      ({ done, value }) => this.push(done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength)),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#reader && !this.readableEnded) this.#reader.cancel().catch(() => {});
    done(error);
  }
}

/** Statuses whose `Response` takes no body. */
const nullBodyStatuses = new Set([204, 205, 304]);

/** Headers of one connection of HTTP/1.1, which are the host's. */
const hopByHopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Collects a `Response`: at once for a body that is written by `end`, else as a stream with backpressure. */
class FetchResponse extends Writable implements HttpResponse {
  statusCode = 200;
  readonly answer: Promise<Response>;
  readonly #isHead: boolean;
  /** By lower-case name: the name as it was set, and its values. */
  readonly #headers = new Map<string, [name: string, value: string | number | readonly string[]]>();
  #resolve: (response: Response) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #headersSent = false;
  /** `end` was called; `writableEnded` is set only after the last chunk is written. */
  #isEnding = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #resume: (() => void) | undefined;

  constructor(isHead: boolean) {
    super({ decodeStrings: true });
    this.#isHead = isHead;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.on('error', () => {});
  }

  get headersSent(): boolean {
    return this.#headersSent;
  }

  setHeader(name: string, value: string | number | readonly string[]): this {
    if (this.#headersSent) throw new TypeError(`The header ${name} cannot be set after the headers are sent.`);
    this.#headers.set(name.toLowerCase(), [name, value]);
    return this;
  }

  getHeader(name: string): string | number | string[] | undefined {
    const value = this.#headers.get(name.toLowerCase())?.[1];
    return typeof value === 'object' ? [...value] : value;
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  flushHeaders(): void {
    if (!this.#headersSent) this.#respond(this.#stream());
  }

  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    this.#isEnding = true;
    return super.end(chunk, encoding as BufferEncoding, done as () => void);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.#headersSent) {
      if (this.#isEnding && this.writableLength === chunk.length) {
        this.#respond(chunk as Buffer<ArrayBuffer>);
        done();
        return;
      }
      this.#respond(this.#stream());
    }
    this.#controller?.enqueue(chunk);
    if (!this.#controller || (this.#controller.desiredSize ?? 0) > 0) done();
    else this.#resume = done;
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.#headersSent) this.#respond(null);
    this.#controller?.close();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // Every response is destroyed in the end, and an error captures its stack.
    const reason = (): Error => error ?? new Error('The response was not completed.');
    if (!this.#headersSent) this.#reject(reason());
    else if (!this.writableFinished) this.#controller?.error(reason());
    this.#headersSent = true;
    done(error);
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: controller => {
        this.#controller = controller;
      },
      pull: () => {
        const resume = this.#resume;
        this.#resume = undefined;
        resume?.();
      },
      cancel: () => {
        this.#controller = undefined;
        this.destroy();
      },
    });
  }

  #respond(body: ConstructorParameters<typeof Response>[0]): void {
    this.#headersSent = true;
    const headers = new Headers();
    for (const [key, [name, value]] of this.#headers) {
      if (hopByHopHeaders.has(key)) continue;
      for (const one of typeof value === 'object' ? value : [value]) headers.append(name, String(one));
    }
    const hasNoBody = this.#isHead || nullBodyStatuses.has(this.statusCode);
    this.#resolve(new Response(hasNoBody ? null : body, { status: this.statusCode, headers }));
  }
}
