import type { WebSocket } from 'ws';
import { findJsonExcess } from '../../rest-facade/engine/json-complexity.ts';

/** What one WebSocket may send in a period, multiplied by RATE_LIMIT_FACTOR. */
const maxPerPeriod = {
  /** Messages, pings and pongs. Fifty subscriptions that begin and end twice over are 200. */
  messages: 1_000,
  /** Fifty documents of 20 KB. */
  bytes: 1_048_576,
} as const;

/** Milliseconds. */
const periodMs = 20_000;

/**
 * How much a client sends over one WebSocket. Reading is not charged to anyone: without a bound one connection had the main
 * thread read 120,000 messages a second, before it had said who it is.
 */
export class WebSocketMessageLimit {
  readonly #factor: number;
  #since = performance.now();
  #messages = 0;
  #bytes = 0;

  /** `factor`: what limits are multiplied by, 0 for none. */
  constructor(factor: number) {
    this.#factor = factor;
  }

  /** Counts one message, and says whether it may be read. `now` in milliseconds, of a clock that never goes back. */
  take(bytes: number, now = performance.now()): boolean {
    if (this.#factor === 0) return true;
    if (now - this.#since >= periodMs) {
      this.#since = now;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages++;
    this.#bytes += bytes;
    const max = Math.max(1, this.#factor);
    return this.#messages <= maxPerPeriod.messages * max && this.#bytes <= maxPerPeriod.bytes * max;
  }
}

/** How what a client sends is read. Both close the connection where they refuse. */
export interface MessageReader {
  /** Counts a message, a ping or a pong. */
  mayRead(data: Buffer): boolean;
  /** The text of a message that may be read and parsed. */
  textOf(data: Buffer): string | undefined;
}

/** `factor`: what limits are multiplied by, 0 for none. */
export function messageReader(socket: WebSocket, factor: number): MessageReader {
  const messages = new WebSocketMessageLimit(factor);
  function mayRead(data: Buffer): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (messages.take(data.length)) return true;
    socket.close(1008, 'Too many messages');
    // Nothing more is read, not even the answer to that; the connection is cut after `closeTimeout`.
    socket.pause();
    return false;
  }
  function textOf(data: Buffer): string | undefined {
    if (!mayRead(data)) return undefined;
    const text = String(data);
    if (findJsonExcess(text) === undefined) return text;
    // The payload of a ping is sent back: printing one that is nested 30,000 deep overflows the stack.
    socket.close(4400, 'Invalid message received');
    return undefined;
  }
  return { mayRead, textOf };
}
