import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorResponse } from 'operation-rest';
import { formatIpForUrl } from '../config/host-name.ts';
import { retryAfterSeconds } from '../errors/errors.ts';
import { heard } from '../errors/heard.ts';
import { BodyArrivals, type BodyLimits } from './body-arrivals.ts';
import { ConnectionSlots, refusedConnections } from './connection-slots.ts';
import type { MessageClasses } from './http-messages.ts';
import { normaliseTarget } from './request-target.ts';
import { type DepartureLimits, ResponseDepartures } from './response-departures.ts';

/** Errors that occur outside of a request handler: an unreadable request, or a timeout. */
export type Interruption = 'malformed' | 'too-large' | 'arrives-too-slowly' | 'answered-too-slowly' | 'too-many';

export interface GatewayServerOptions {
  handle: RequestListener;
  /** Those of Node.js by default. */
  messages?: MessageClasses;
  /** Milliseconds to receive the headers of a request (at most 15,000), and milliseconds without traffic while it is answered. */
  requestTimeout: number;
  bodies: BodyLimits;
  responses: DepartureLimits;
  /** Open connections. One more takes the place of one without a request, or is refused. Absent: no limit. */
  maxConnections?: number | undefined;
  /** Called when a connection cannot be accepted. */
  onAcceptError?(error: Error): void;
  /** Which upgrade requests to accept, and the handler that takes over the socket. Others are handled as ordinary requests. */
  upgrade?: {
    accepts(request: IncomingMessage): boolean;
    take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  };
  /**
   * Whether a request whose time has passed is answered so: false if it may have written, and then it is awaited. Excludes writes
   * from then on. Absent: true.
   */
  expire?(request: IncomingMessage): boolean;
  /** The error response; `request` is defined if its headers were parsed. */
  interrupt(interruption: Interruption, request: IncomingMessage | undefined): ErrorResponse;
  /** Called for each request whose response the server replaces or cuts off, before it does. */
  onInterrupt?(request: IncomingMessage, status: number, reason: Interruption | 'read-too-slowly'): void;
}

/**
 * How long a request that has begun to commit is awaited beyond the time limit. PostgreSQL ends a commit that takes as long as
 * `STATEMENT_TIMEOUT_MS`. After it the connection is closed without an answer, which claims nothing.
 */
const maxCommitWaitMs = 600_000;

/** Time in which a stopping server empties its accept queue, at most: clients that connect without end would never end. */
const maxAcceptMs = 2_000;
/** The queue is empty when nothing has been accepted or answered for this time, in which a client on a busy machine connects again. */
const quietMs = 100;

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** `listen` failed. The message tells the operator what to change. */
export class ListenError extends Error {
  /** `setting`: the one that names the port. */
  constructor(cause: NodeJS.ErrnoException, host: string, port: number, setting = 'PORT') {
    const sentences: ReadonlyMap<string, string> = new Map([
      [
        'EADDRINUSE',
        `Port ${port} of ${host} is in use by another program. Stop that one, or set ${setting} to another port (0 takes a free one).`,
      ],
      ['EACCES', `This user may not listen on port ${port}. Set ${setting} to one above 1023.`],
      [
        'EADDRNOTAVAIL',
        `${host} is no address of this machine. Set HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`,
      ],
    ]);
    super(sentences.get(cause.code ?? '') ?? `Port ${port} of ${host} cannot be listened on: ${cause.message}`, {
      cause,
    });
  }
}

/** HTTP server that sends a JSON response for every error and drains without cutting off responses. */
export class GatewayServer {
  readonly server: HttpServer;
  /** Connections that were closed because their client did not keep the least rate. */
  readonly slowClients = { readers: 0, senders: 0 };
  /** Connections that were closed or refused because there were too many. */
  readonly connections = { dropped: 0 };
  readonly #interrupt: GatewayServerOptions['interrupt'];
  readonly #onInterrupt: NonNullable<GatewayServerOptions['onInterrupt']>;
  readonly #expire: NonNullable<GatewayServerOptions['expire']>;
  /** Requests whose time has passed while they commit. */
  readonly #awaited = new WeakSet<IncomingMessage>();
  readonly #bodies: BodyArrivals;
  readonly #departures: ResponseDepartures;
  readonly #rateTimer: NodeJS.Timeout;
  /** Responses that have not ended. */
  readonly #running = new Set<ServerResponse>();
  #draining = false;
  /** No request is accepted any more. */
  #isClosed = false;
  /** Requests that wait until the accept queue is empty; undefined when none has to. */
  #postponed: (() => void)[] | undefined;
  /** When a connection was accepted or a response ended for the last time. */
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor({
    handle,
    messages,
    requestTimeout,
    bodies,
    responses,
    maxConnections,
    onAcceptError,
    onInterrupt,
    expire,
    interrupt,
    upgrade,
  }: GatewayServerOptions) {
    this.#interrupt = interrupt;
    this.#onInterrupt = onInterrupt ?? (() => {});
    this.#expire = expire ?? (() => true);
    this.#bodies = new BodyArrivals(bodies);
    this.#departures = new ResponseDepartures(responses);
    const rateIntervalMs = Math.min(1_000, bodies.idleMs / 4, responses.graceMs / 4);
    this.#rateTimer = setInterval(() => this.#endSlowClients(), rateIntervalMs).unref();
    // Node.js checks timeouts of headers every 30 s by default.
    const connectionsCheckingInterval = Math.min(1_000, requestTimeout / 2);
    const server: HttpServer = heard(
      createServer({
        ...messages,
        // One limit for the whole request would cut off large bodies, however fast: see `BodyArrivals`.
        requestTimeout: 0,
        headersTimeout: Math.min(requestTimeout, 15_000),
        connectionsCheckingInterval,
        keepAliveTimeout: 65_000,
        // The error response of Node.js has no body; the pipeline checks the header instead.
        requireHostHeader: false,
        // Without it the upgrade listener gets every upgrade request, and a client that only offers h2c gets no response.
        shouldUpgradeCallback: request => !this.#draining && upgrade?.accepts(request) === true,
      }),
      // Of a server that listens: the kernel has no descriptor for a connection. There is one again when others are closed.
      error => {
        if (server.listening) onAcceptError?.(error);
      },
    );
    this.server = server;
    const slots = new ConnectionSlots(maxConnections ?? Number.POSITIVE_INFINITY, () => this.connections.dropped++);
    if (maxConnections !== undefined) this.server.maxConnections = maxConnections + refusedConnections;
    this.server.on('drop', () => this.connections.dropped++);
    this.server.on('connection', socket => {
      this.#changedAt = performance.now();
      slots.add(socket);
    });
    // Cuts off a client that stops reading, whose response would stay in memory; Node.js has no other timeout for it.
    // Longer than the other limits, which have more specific responses. It starts anew with every byte, so that the time to answer a
    // request starts when its body is in.
    this.server.timeout = requestTimeout + 2 * connectionsCheckingInterval;
    this.server.on('request', (request, response) => {
      this.#track(response);
      const { socket } = request;
      if (!slots.hold(socket)) {
        this.#closeWithError(socket, 'too-many');
        return;
      }
      response.once('close', () => slots.release(socket));
      this.#bodies.add(request, response);
      this.#departures.add(response);
      if (!normaliseTarget(request)) this.#closeWithError(socket, 'malformed');
      else if (this.#postponed === undefined) handle(request, response);
      else this.#postponed.push(() => handle(request, response));
    });
    if (upgrade) {
      this.server.on('upgrade', (request, socket, head) => {
        if (slots.hold(request.socket)) upgrade.take(request, socket, head);
        else this.#closeWithError(socket, 'too-many');
      });
    }
    // RFC 9110 allows 417 for an unknown expectation; the server ignores the expectation instead.
    this.server.on('checkExpectation', (request, response) => this.server.emit('request', request, response));
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#closeWithError(socket, interruptionOf(error)),
    );
    this.server.on('timeout', socket => {
      if (this.#awaitCommits(socket)) return;
      const isArriving = this.#waitingOn(socket).some(({ req }) => this.#bodies.isAwaited(req));
      this.#closeWithError(socket, isArriving ? 'arrives-too-slowly' : 'answered-too-slowly');
    });
  }

  /** Applies the least rate of bodies to a request later; it is still cut off while nothing arrives. */
  allowSlowArrival(request: IncomingMessage): void {
    this.#bodies.allowSlow(request);
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

  /**
   * Announces the end on every response, accepts for `delayMs` more, and then stops accepting, closes idle connections and waits for
   * active ones; `timeoutMs` after that they are destroyed.
   */
  async drain(timeoutMs: number, delayMs = 0): Promise<void> {
    this.#draining = true;
    for (const response of this.#running) if (!response.headersSent) response.setHeader('Connection', 'close');
    if (delayMs > 0) await delay(delayMs);
    await this.#emptyAcceptQueue();
    // Not before: until it has noticed, a load balancer sends requests on connections that were idle.
    this.#isClosed = true;
    await new Promise<void>(resolve => {
      const timer = setTimeout(() => this.server.closeAllConnections(), timeoutMs);
      // http.Server.close destroys connections whose response is written but not yet sent.
      NetServer.prototype.close.call(this.server, () => {
        clearTimeout(timer);
        clearInterval(this.#rateTimer);
        // No connection is left; this stops the timer of the timeouts of headers.
        this.server.close();
        resolve();
      });
      this.#handlePostponed();
      this.#closeIdleConnections();
    });
  }

  /**
   * Accepts what clients have connected before now: the kernel would reset the connections in the queue of a listener that closes,
   * and with them requests that are already sent. Requests that arrive meanwhile are handled after it: whoever is answered connects
   * again, and under load the queue would never be empty.
   */
  async #emptyAcceptQueue(): Promise<void> {
    this.#postponed = [];
    for (const startedAt = performance.now(); performance.now() - startedAt < maxAcceptMs; ) {
      const before = this.#changedAt;
      // A turn accepts one connection, and two accept one that a client of this turn has begun.
      await nextTurn();
      await nextTurn();
      if (this.#changedAt !== before) continue;
      if (performance.now() - before > quietMs) return;
      await delay(1);
    }
  }

  #handlePostponed(): void {
    const postponed = this.#postponed ?? [];
    this.#postponed = undefined;
    for (const handle of postponed) handle();
  }

  #track(response: ServerResponse): void {
    // Log, metrics, limits, byte counts and streams each add listeners; Node.js warns at more than ten.
    response.setMaxListeners(20);
    this.#running.add(response);
    if (this.#draining) response.setHeader('Connection', 'close');
    response.once('close', () => {
      this.#running.delete(response);
      this.#changedAt = performance.now();
      if (this.#isClosed) this.#closeIdleConnections();
    });
  }

  /** Node.js treats a connection as idle when the response is written; closing it then would cut off unsent bytes. */
  #closeIdleConnections(): void {
    for (const response of this.#running) if (response.writableEnded) return;
    this.server.closeIdleConnections();
  }

  #endSlowClients(): void {
    for (const response of this.#departures.findSlow()) {
      this.slowClients.readers++;
      this.#onInterrupt(response.req, response.statusCode, 'read-too-slowly');
      response.destroy();
    }
    for (const request of this.#bodies.findSlow()) {
      this.slowClients.senders++;
      this.#expire(request);
      this.#closeWithError(request.socket, 'arrives-too-slowly');
    }
  }

  /** Ends the time of the requests of a socket. Returns whether their answers are awaited instead, because one may have written. */
  #awaitCommits(socket: Socket): boolean {
    let hasWritten = false;
    for (const { req: request } of this.#waitingOn(socket)) {
      if (this.#awaited.has(request)) return false;
      if (this.#expire(request)) continue;
      this.#awaited.add(request);
      hasWritten = true;
    }
    if (hasWritten) socket.setTimeout(maxCommitWaitMs);
    return hasWritten;
  }

  #waitingOn(socket: Duplex): ServerResponse[] {
    return [...this.#running].filter(response => response.req.socket === socket);
  }

  /** Writes an error response to the socket, unless a response has started there, and closes it. */
  #closeWithError(socket: Duplex, interruption: Interruption | undefined): void {
    const waiting = this.#waitingOn(socket);
    const idle = waiting.length === 0 && interruption === 'answered-too-slowly';
    const claimsNothing = waiting.some(({ headersSent, req }) => headersSent || this.#awaited.has(req));
    if (interruption === undefined || idle || !socket.writable || claimsNothing) {
      socket.destroy();
      return;
    }
    const { status, body } = this.#interrupt(interruption, waiting[0]?.req);
    // The end of a connection in the middle of a request is malformed, too: its client has left.
    if (interruption !== 'malformed') for (const { req } of waiting) this.#onInterrupt(req, status, interruption);
    const text = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
      ...(status === 503 ? [`Retry-After: ${retryAfterSeconds}`] : []),
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
