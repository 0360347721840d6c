import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestUsage } from '../limits/request-usage.ts';

/**
 * Counts the bytes that a response puts on its connection, headers included. Known when the response
 * emits `close`: code that reads `usage` then must have called this first.
 */
export function countBytes(request: IncomingMessage, response: ServerResponse, usage: RequestUsage): void {
  const { socket } = request;
  const before = socket.bytesWritten;
  response.once('close', () => {
    usage.bytesSent += Math.max(0, socket.bytesWritten - before);
  });
}
