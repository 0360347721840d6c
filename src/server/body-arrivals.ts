import type { IncomingMessage, ServerResponse } from 'node:http';

export interface BodyLimits {
  /** Longest time in which nothing of a body arrives, in milliseconds. */
  idleMs: number;
  /** Least bytes per second from the start of a body; its first `idleMs` milliseconds are free. */
  minBytesPerSecond: number;
}

/** The grace of a body that may be slow, in multiples of that of others: two minutes of compressing before much is sent. */
const slowStarts = 6;

interface Arrival {
  startedAt: number;
  startBytes: number;
  /** Milliseconds in which the server took nothing. */
  serverMs: number;
  lastBytes: number;
  lastArrivedAt: number;
  checkedAt: number;
  /** Milliseconds from the start in which the bytes per second do not matter. */
  graceMs: number;
}

/**
 * The request bodies that are arriving on a server. A body may take as long as its bytes need at the least rate; one that does not
 * arrive, or drips, is reported, so that idle connections hold neither memory nor slots. Time in which the server does not read,
 * because it waits for a slot or a disk, is not counted against the client.
 *
 * The bytes are those of the socket: a listener for data would start to read the body.
 */
export class BodyArrivals {
  readonly #limits: BodyLimits;
  readonly #now: () => number;
  readonly #arriving = new Map<IncomingMessage, Arrival>();

  constructor(limits: BodyLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Adds a request whose body has not arrived; one without a body is not added. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length === '0' && encoding === undefined) return;
    const now = this.#now();
    const startBytes = request.socket.bytesRead;
    this.#arriving.set(request, {
      startedAt: now,
      startBytes,
      serverMs: 0,
      lastBytes: startBytes,
      lastArrivedAt: now,
      checkedAt: now,
      graceMs: this.#limits.idleMs,
    });
    const remove = (): void => {
      this.#arriving.delete(request);
    };
    request.once('end', remove);
    response.once('close', remove);
  }

  /** Lets the bytes of a body come later: git computes what it sends while it sends it. */
  allowSlow(request: IncomingMessage): void {
    const arrival = this.#arriving.get(request);
    if (arrival) arrival.graceMs = slowStarts * this.#limits.idleMs;
  }

  /** Whether the client has more to send, and the server would take it. */
  isAwaited(request: IncomingMessage): boolean {
    return this.#arriving.has(request) && !request.complete && !isFull(request);
  }

  /** The requests whose bodies arrive too slowly. To be called several times per `idleMs`. */
  findSlow(): IncomingMessage[] {
    const now = this.#now();
    const slow: IncomingMessage[] = [];
    for (const [request, arrival] of this.#arriving) {
      if (request.complete) this.#arriving.delete(request);
      else if (this.#isSlow(request, arrival, now)) slow.push(request);
    }
    return slow;
  }

  #isSlow(request: IncomingMessage, arrival: Arrival, now: number): boolean {
    const { bytesRead } = request.socket;
    const { idleMs, minBytesPerSecond } = this.#limits;
    const waitsForServer = isFull(request);
    if (waitsForServer) arrival.serverMs += now - arrival.checkedAt;
    if (waitsForServer || bytesRead > arrival.lastBytes) arrival.lastArrivedAt = now;
    arrival.lastBytes = bytesRead;
    arrival.checkedAt = now;
    if (now - arrival.lastArrivedAt > idleMs) return true;
    const chargedMs = now - arrival.startedAt - arrival.serverMs - arrival.graceMs;
    return bytesRead - arrival.startBytes < (minBytesPerSecond * chargedMs) / 1_000;
  }
}

/** Node.js stops reading the socket of a request whose buffer is full. */
function isFull(request: IncomingMessage): boolean {
  return request.readableLength >= request.readableHighWaterMark;
}
