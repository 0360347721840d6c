import { findJsonExcess, parseShortJson } from 'operation-rest';
import type { WebSocket } from 'ws';

/** What one WebSocket may send per period, multiplied by RATE_LIMIT_FACTOR. */
const maxPerPeriod = {
  /** Messages, pings and pongs. Starting and ending fifty subscriptions twice takes 200. */
  messages: 1_000,
  /** Fifty documents of 20 KB. */
  bytes: 1_048_576,
} as const;

/** Length of a period. */
const periodMs = 20_000;

/**
 * Limits what a client sends over one WebSocket. Reading is not charged to a caller: without this limit one unauthenticated
 * connection made the main thread read 120,000 messages per second.
 */
export class WebSocketMessageLimit {
  readonly #factor: number;
  #since = performance.now();
  #messages = 0;
  #bytes = 0;

  /** @param factor multiplies the limits; 0 for no limits */
  constructor(factor: number) {
    this.#factor = factor;
  }

  /** Counts one message. Returns whether it may be read. `now`: a monotonic clock in milliseconds. */
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

/** Reads messages of one socket. Both functions close the connection when a limit is exceeded. */
export interface MessageReader {
  /** Counts a message, a ping or a pong. */
  mayRead(data: Buffer): boolean;
  /** The text of a message; undefined if it must not be parsed. */
  textOf(data: Buffer): string | undefined;
}

/** @param factor multiplies the limits; 0 for no limits */
export function messageReader(socket: WebSocket, factor: number): MessageReader {
  const messages = new WebSocketMessageLimit(factor);
  function mayRead(data: Buffer): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (messages.take(data.length)) return true;
    socket.close(1008, 'Too many messages');
    // Stops reading, the close frame of the client included; the connection is destroyed after `closeTimeout`.
    socket.pause();
    return false;
  }
  function textOf(data: Buffer): string | undefined {
    if (!mayRead(data)) return undefined;
    const text = String(data);
    if (isReadable(text)) return text;
    socket.close(4400, 'Invalid message received');
    return undefined;
  }
  return { mayRead, textOf };
}

/**
 * Whether a message is JSON that every parser reads alike. The payload of a ping is echoed: serializing one nested 30,000 deep overflows
 * the stack.
 */
function isReadable(text: string): boolean {
  if (findJsonExcess(text) !== undefined) return false;
  try {
    parseShortJson(text);
    return true;
  } catch {
    return false;
  }
}
