import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestUsage } from '../limits/request-usage.ts';

/**
 * Adds the bytes that a response writes to its socket, headers included, to `usage` whenever it is updated, the last time on `close`.
 * Listeners of `close` that read `usage` must be added later.
 */
export function countBytes(request: IncomingMessage, response: ServerResponse, usage: RequestUsage): void {
  const { socket } = request;
  let before = socket.bytesWritten;
  usage.update = () => {
    const written = socket.bytesWritten;
    usage.bytesSent += Math.max(0, written - before);
    before = written;
  };
  response.once('close', () => {
    usage.update();
    // The next response on this connection is not of this request.
    usage.update = () => {};
  });
}
