import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorResponse } from '../../rest-facade/engine/product.ts';
import { formatIpForUrl } from '../config/host-name.ts';
import { normaliseTarget } from './request-target.ts';

/** How the server speaks where no handler can: the request is not readable, or its time is up. */
export type Interruption = 'malformed' | 'too-large' | 'arrives-too-slowly' | 'answered-too-slowly';

export interface GatewayServerOptions {
  handle: RequestListener;
  /** Most milliseconds for a request to arrive; and most without a byte in either direction while it is answered. */
  requestTimeout: number;
  /** Requests that leave HTTP: which, and what takes their connection. All others are answered as if they had not asked. */
  upgrade?: {
    accepts(request: IncomingMessage): boolean;
    take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  };
  /** What to tell; `request` when one has begun. */
  interrupt(interruption: Interruption, request: IncomingMessage | undefined): ErrorResponse;
}

/** The address cannot be listened on. `message` is a sentence for the operator. */
export class ListenError extends Error {
  constructor(cause: NodeJS.ErrnoException, host: string, port: number) {
    const sentences: Record<string, string> = {
      EADDRINUSE: `Port ${port} of ${host} is in use by another program. Stop that one, or set PORT to another port (0 takes a free one).`,
      EACCES: `This user may not listen on port ${port}. Set PORT to one above 1023.`,
      EADDRNOTAVAIL: `${host} is no address of this machine. Set HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`,
    };
    super(sentences[cause.code ?? ''] ?? `Port ${port} of ${host} cannot be listened on: ${cause.message}`, { cause });
  }
}

/** A server of HTTP whose every answer is ours, and that can be emptied without cutting an answer off. */
export class GatewayServer {
  readonly server: HttpServer;
  readonly #interrupt: GatewayServerOptions['interrupt'];
  /** Answers that are being made or sent. */
  readonly #running = new Set<ServerResponse>();
  #draining = false;

  constructor({ handle, requestTimeout, interrupt, upgrade }: GatewayServerOptions) {
    this.#interrupt = interrupt;
    // Node looks for requests that are late every 30 s unless told otherwise.
    const connectionsCheckingInterval = Math.min(1_000, requestTimeout / 2);
    this.server = createServer({
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, 15_000),
      connectionsCheckingInterval,
      keepAliveTimeout: 65_000,
      // Node's own refusal has no body; the pipeline looks at the header instead.
      requireHostHeader: false,
      // Without it, one listener for upgrades would get all of them, and a client that merely offers h2c no answer.
      shouldUpgradeCallback: request => !this.#draining && upgrade?.accepts(request) === true,
    });
    // A client that stops reading would hold its answer in memory for ever: nothing else in Node has a limit for it.
    // Later than the look at late requests, which know better what to answer.
    this.server.timeout = requestTimeout + 2 * connectionsCheckingInterval;
    this.server.on('request', (request, response) => {
      this.#track(response);
      if (normaliseTarget(request)) handle(request, response);
      else this.#closeWithError(request.socket, 'malformed');
    });
    if (upgrade) this.server.on('upgrade', upgrade.take);
    // «A server MAY respond with 417» to an expectation it does not know: there is no use in it.
    this.server.on('checkExpectation', (request, response) => this.server.emit('request', request, response));
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#closeWithError(socket, interruptionOf(error)),
    );
    this.server.on('timeout', socket => this.#closeWithError(socket, 'answered-too-slowly'));
  }

  /** Port 0 takes a free one. Resolves with the address, such as http://127.0.0.1:4000; rejects with a ListenError. */
  listen(port: number, host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const refused = (error: NodeJS.ErrnoException): void => reject(new ListenError(error, host, port));
      this.server.once('error', refused);
      this.server.listen(port, host, () => {
        this.server.off('error', refused);
        const taken = (this.server.address() as AddressInfo).port;
        resolve(`http://${formatIpForUrl(host)}:${taken}`);
      });
    });
  }

  /** Refuses new connections, closes idle ones and waits for the rest; after `timeout` milliseconds those are cut. */
  drain(timeout: number): Promise<void> {
    this.#draining = true;
    for (const response of this.#running) if (!response.headersSent) response.setHeader('Connection', 'close');
    return new Promise(resolve => {
      const timer = setTimeout(() => this.server.closeAllConnections(), timeout);
      // The `close` of HTTP would at once destroy connections whose answer is written but not yet sent.
      NetServer.prototype.close.call(this.server, () => {
        clearTimeout(timer);
        // Nothing is left to close; this ends the timer that looks for late requests.
        this.server.close();
        resolve();
      });
      this.#closeIdleConnections();
    });
  }

  #track(response: ServerResponse): void {
    // Log, metrics, limits, byte counts and streams each listen for the end; Node.js warns of a leak beyond ten.
    response.setMaxListeners(20);
    this.#running.add(response);
    if (this.#draining) response.setHeader('Connection', 'close');
    response.once('close', () => {
      this.#running.delete(response);
      if (this.#draining) this.#closeIdleConnections();
    });
  }

  /** Node counts a connection as idle as soon as the answer is written; destroyed then, its end would be lost. */
  #closeIdleConnections(): void {
    for (const response of this.#running) if (response.writableEnded) return;
    this.server.closeIdleConnections();
  }

  /** Says why on the bare connection, unless an answer is already on its way there, and ends it. */
  #closeWithError(socket: Duplex, interruption: Interruption | undefined): void {
    const waiting = [...this.#running].filter(response => response.req.socket === socket);
    const idle = waiting.length === 0 && interruption === 'answered-too-slowly';
    if (interruption === undefined || idle || !socket.writable || waiting.some(one => one.headersSent)) {
      socket.destroy();
      return;
    }
    const { status, body } = this.#interrupt(interruption, waiting[0]?.req);
    const text = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
  }
}

/** Undefined: the other side is gone and there is nobody to tell. */
function interruptionOf({ code }: NodeJS.ErrnoException): Interruption | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'arrives-too-slowly';
  return code === 'HPE_HEADER_OVERFLOW' ? 'too-large' : 'malformed';
}
