import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface DepartureLimits {
  /** Least bytes per second that a client reads of a response that waits for it. 0: none. */
  minBytesPerSecond: number;
  /** Time in which the rate does not matter, in milliseconds: at the start, and at most after a burst. */
  graceMs: number;
}

interface Departure {
  socket: Socket;
  /** Milliseconds that the client may still make the response wait. */
  balanceMs: number;
  delivered: number;
  checkedAt: number;
  isWaiting: boolean;
}

/** Time that bytes which were read fast may earn, in multiples of the grace: the kernel takes some megabytes at a time. */
const maxEarned = 2;

/**
 * The responses that a server is sending. A response that waits for its client pays with time, and earns time by the bytes that leave;
 * one without time left is reported, so that slow readers hold neither memory nor slots. A client that keeps up, or a response that is
 * still being made, pays nothing.
 */
export class ResponseDepartures {
  readonly #limits: DepartureLimits;
  readonly #now: () => number;
  readonly #leaving = new Map<ServerResponse, Departure>();

  constructor(limits: DepartureLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  add(response: ServerResponse): void {
    const { socket } = response.req;
    this.#leaving.set(response, {
      socket,
      balanceMs: this.#limits.graceMs,
      delivered: deliveredBytes(socket),
      checkedAt: this.#now(),
      isWaiting: false,
    });
    response.once('close', () => this.#leaving.delete(response));
  }

  /** The responses that are read too slowly. To be called several times per `graceMs`. */
  findSlow(): ServerResponse[] {
    const slow: ServerResponse[] = [];
    if (this.#limits.minBytesPerSecond === 0) return slow;
    const now = this.#now();
    for (const [response, departure] of this.#leaving) if (this.#isSlow(departure, now)) slow.push(response);
    return slow;
  }

  #isSlow(departure: Departure, now: number): boolean {
    const { minBytesPerSecond, graceMs } = this.#limits;
    const { socket, isWaiting, checkedAt } = departure;
    const delivered = deliveredBytes(socket);
    const earnedMs = ((delivered - departure.delivered) / minBytesPerSecond) * 1_000;
    departure.delivered = delivered;
    departure.checkedAt = now;
    departure.isWaiting = socket.writableLength > 0;
    departure.balanceMs = Math.min(maxEarned * graceMs, departure.balanceMs + earnedMs);
    if (isWaiting && departure.isWaiting) departure.balanceMs -= now - checkedAt;
    else if (!departure.isWaiting) departure.balanceMs = Math.max(departure.balanceMs, graceMs);
    return departure.balanceMs < 0;
  }
}

/** Bytes that the kernel has taken. */
const deliveredBytes = (socket: Socket): number => socket.bytesWritten - socket.writableLength;
