import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client that is still sending may take to read why it should not. */
const maxDrainMs = 2_000;

/**
 * Ends a response whose headers are set; `text` is its body, sent whole. A request body that nobody read is dropped while
 * it is small. A larger one is neither read to its end nor cut off at once: a connection closed with data unread is reset,
 * and the reset can overtake the answer. So the answer goes out, up to `most` bytes more are dropped, then nothing is read
 * any more, and the connection closes when the client does or when its time is up.
 */
export function endResponse(
  request: IncomingMessage,
  response: ServerResponse,
  text: string | undefined,
  most: number,
): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  const unbounded = request.headers['transfer-encoding'] !== undefined || announced > most;
  if (request.complete || !unbounded) {
    // As many bytes as characters: ASCII, which is written as it stands. For UTF-8 Node takes a buffer of three times the
    // length, which is half of what it costs to write 14 KB.
    if (text !== undefined && response.getHeader('Content-Length') === text.length) response.end(text, 'latin1');
    else response.end(text);
    // What stays unread would be taken for the next request of this connection.
    request.resume();
    return;
  }
  response.setHeader('Connection', 'close');
  if (text === undefined) response.flushHeaders();
  else response.write(text);
  let left = most;
  const end = (): void => {
    response.end();
  };
  const timer = setTimeout(end, maxDrainMs);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.pause();
  });
  // An error of a request that was already answered concerns nobody.
  request.once('end', end).on('error', () => {});
  response.once('close', () => clearTimeout(timer));
  request.resume();
}
