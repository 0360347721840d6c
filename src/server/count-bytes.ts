import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestUsage } from '../limits/request-usage.ts';

/**
 * Adds the bytes that a response writes to its socket, headers included, to `usage` on `close`. Listeners of `close` that read
 * `usage` must be added later.
 */
export function countBytes(request: IncomingMessage, response: ServerResponse, usage: RequestUsage): void {
  const { socket } = request;
  const before = socket.bytesWritten;
  response.once('close', () => {
    usage.bytesSent += Math.max(0, socket.bytesWritten - before);
  });
}
