import type { HttpRequest, HttpResponse } from './http-messages.ts';

/** How long a client may go on sending its request body after the response is written. */
const maxDrainMs = 2_000;

/**
 * Ends a response whose headers are set; `text` is the whole body. An unread request body of up to `maxDrainBytes` is read and
 * discarded. A larger one is neither read to its end nor cut off at once: closing a connection with unread data resets it, and
 * the reset can overtake the response. So the response is written, up to `maxDrainBytes` are discarded, reading stops, and the
 * connection closes when the client closes it or after `maxDrainMs`.
 */
export function endResponse(
  request: HttpRequest,
  response: HttpResponse,
  text: string | Buffer | undefined,
  maxDrainBytes: number,
): void {
  const contentLength = Number(request.headers['content-length'] ?? 0);
  const mayExceed = request.headers['transfer-encoding'] !== undefined || contentLength > maxDrainBytes;
  if (request.complete || !mayExceed) {
    // As many bytes as characters means ASCII, which Latin-1 writes unchanged. For UTF-8 Node allocates a buffer of three times
    // the length, which is half of the cost of writing 14 KB.
    if (typeof text === 'string' && response.getHeader('Content-Length') === text.length) response.end(text, 'latin1');
    else response.end(text);
    // Unread bytes would be parsed as the next request of the connection.
    request.resume();
    return;
  }
  response.setHeader('Connection', 'close');
  if (text === undefined) response.flushHeaders();
  else response.write(text);
  let left = maxDrainBytes;
  const end = (): void => {
    response.end();
  };
  const timer = setTimeout(end, maxDrainMs);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.pause();
  });
  // The request is answered, so its errors have no consequence.
  request.once('end', end).on('error', () => {});
  response.once('close', () => clearTimeout(timer));
  request.resume();
}
