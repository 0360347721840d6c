import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Milliseconds for which a client that was refused may keep its half of the connection open. */
const halfOpenTimeout = 1_000;

/** Seconds after which a place may be free. */
export const upgradeRetryAfterSeconds = 5;

/** On the bare connection, before it is a WebSocket. */
export function refuseUpgrade(socket: Duplex, status: number, retryAfter?: number): void {
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${wait}Connection: close\r\nContent-Length: 0\r\n\r\n`;
  socket.end(head, () => setTimeout(() => socket.destroy(), halfOpenTimeout).unref());
}
