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
import type { MessageClasses } from './http-messages.ts';
import { normaliseTarget } from './request-target.ts';

/** Errors that occur outside of a request handler: an unreadable request, or a timeout. */
export type Interruption = 'malformed' | 'too-large' | 'arrives-too-slowly' | 'answered-too-slowly';

export interface GatewayServerOptions {
  handle: RequestListener;
  /** Those of Node.js by default. */
  messages?: MessageClasses;
  /** Milliseconds to receive a request, and milliseconds without traffic while it is answered. */
  requestTimeout: number;
  /** Which upgrade requests to accept, and the handler that takes over the socket. Others are handled as ordinary requests. */
  upgrade?: {
    accepts(request: IncomingMessage): boolean;
    take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  };
  /** The error response; `request` is defined if its headers were parsed. */
  interrupt(interruption: Interruption, request: IncomingMessage | undefined): ErrorResponse;
}

/** `listen` failed. The message tells the operator what to change. */
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

/** HTTP server that sends a JSON response for every error and drains without cutting off responses. */
export class GatewayServer {
  readonly server: HttpServer;
  readonly #interrupt: GatewayServerOptions['interrupt'];
  /** Requests that may take as long as they need to arrive, while something arrives. */
  readonly #slow = new WeakSet<IncomingMessage>();
  /** Responses that have not ended. */
  readonly #running = new Set<ServerResponse>();
  #draining = false;

  constructor({ handle, messages, requestTimeout, interrupt, upgrade }: GatewayServerOptions) {
    this.#interrupt = interrupt;
    // Node.js checks request timeouts every 30 s by default.
    const connectionsCheckingInterval = Math.min(1_000, requestTimeout / 2);
    this.server = createServer({
      ...messages,
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, 15_000),
      connectionsCheckingInterval,
      keepAliveTimeout: 65_000,
      // The error response of Node.js has no body; the pipeline checks the header instead.
      requireHostHeader: false,
      // Without it the upgrade listener gets every upgrade request, and a client that only offers h2c gets no response.
      shouldUpgradeCallback: request => !this.#draining && upgrade?.accepts(request) === true,
    });
    // Cuts off a client that stops reading, whose response would stay in memory; Node.js has no other timeout for it.
    // Longer than the request timeout, which has a more specific response.
    this.server.timeout = requestTimeout + 2 * connectionsCheckingInterval;
    this.server.on('request', (request, response) => {
      this.#track(response);
      if (normaliseTarget(request)) handle(request, response);
      else this.#closeWithError(request.socket, 'malformed');
    });
    if (upgrade) this.server.on('upgrade', upgrade.take);
    // RFC 9110 allows 417 for an unknown expectation; the server ignores the expectation instead.
    this.server.on('checkExpectation', (request, response) => this.server.emit('request', request, response));
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#closeWithError(socket, interruptionOf(error)),
    );
    this.server.on('timeout', socket => this.#closeWithError(socket, 'answered-too-slowly'));
  }

  /** Exempts a request from the time in which requests must arrive; it is still cut off while nothing arrives. */
  allowSlowArrival(request: IncomingMessage): void {
    this.#slow.add(request);
  }

  /** Port 0 selects a free port. Resolves with the origin, such as http://127.0.0.1:4000. @throws ListenError */
  listen(port: number, host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const refused = (error: NodeJS.ErrnoException): void => reject(new ListenError(error, host, port));
      this.server.once('error', refused);
      this.server.listen(port, host, () => {
        this.server.off('error', refused);
        const boundPort = (this.server.address() as AddressInfo).port;
        resolve(`http://${formatIpForUrl(host)}:${boundPort}`);
      });
    });
  }

  /** Stops accepting, closes idle connections and waits for active ones; after `timeout` milliseconds they are destroyed. */
  drain(timeout: number): Promise<void> {
    this.#draining = true;
    for (const response of this.#running) if (!response.headersSent) response.setHeader('Connection', 'close');
    return new Promise(resolve => {
      const timer = setTimeout(() => this.server.closeAllConnections(), timeout);
      // http.Server.close destroys connections whose response is written but not yet sent.
      NetServer.prototype.close.call(this.server, () => {
        clearTimeout(timer);
        // No connection is left; this stops the timer of the request timeouts.
        this.server.close();
        resolve();
      });
      this.#closeIdleConnections();
    });
  }

  #track(response: ServerResponse): void {
    // Log, metrics, limits, byte counts and streams each add listeners; Node.js warns at more than ten.
    response.setMaxListeners(20);
    this.#running.add(response);
    if (this.#draining) response.setHeader('Connection', 'close');
    response.once('close', () => {
      this.#running.delete(response);
      if (this.#draining) this.#closeIdleConnections();
    });
  }

  /** Node.js treats a connection as idle when the response is written; closing it then would cut off unsent bytes. */
  #closeIdleConnections(): void {
    for (const response of this.#running) if (response.writableEnded) return;
    this.server.closeIdleConnections();
  }

  /** Writes an error response to the socket, unless a response has started there, and closes it. */
  #closeWithError(socket: Duplex, interruption: Interruption | undefined): void {
    const waiting = [...this.#running].filter(response => response.req.socket === socket);
    // Node.js has no time of arrival for one request. It reports each request once.
    if (interruption === 'arrives-too-slowly' && waiting.some(({ req }) => this.#slow.has(req))) return;
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

/** Undefined if the client has disconnected. */
function interruptionOf({ code }: NodeJS.ErrnoException): Interruption | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'arrives-too-slowly';
  return code === 'HPE_HEADER_OVERFLOW' ? 'too-large' : 'malformed';
}
