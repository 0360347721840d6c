import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Time that a rejected client may keep its half of the connection open. */
const halfOpenTimeout = 1_000;

/** Retry-After if no slot is free. */
export const upgradeRetryAfterSeconds = 5;

/** Writes an HTTP error response to a socket that is not yet a WebSocket. */
export function refuseUpgrade(socket: Duplex, status: number, retryAfter?: number): void {
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${wait}Connection: close\r\nContent-Length: 0\r\n\r\n`;
  socket.end(head, () => setTimeout(() => socket.destroy(), halfOpenTimeout).unref());
}
