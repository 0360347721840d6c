import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { GitHttpError } from './git-http-error.ts';

/**
 * The body of a request, unpacked when git has compressed it. `maxBytes` counts what it unpacks to.
 * @throws GitHttpError 413, 415, or 400 for a damaged or incomplete body
 */
export async function* readBody(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  let stream: Readable = request;
  if (encoding === 'gzip' || encoding === 'x-gzip') {
    const gunzip = createGunzip();
    pipeline(request, gunzip, () => {});
    stream = gunzip;
  } else if (encoding !== 'identity' && encoding !== '') {
    throw new GitHttpError(415, 'The body of the request is encoded in a way that this server does not read.');
  }
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        throw new GitHttpError(413, `The request has more than ${Math.floor(maxBytes / 1024 / 1024)} MB.`);
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof GitHttpError) throw error;
    throw new GitHttpError(400, 'The body of the request is damaged or incomplete.');
  }
}

/** The whole body. Its size is limited by the caller. */
export async function readWholeBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readBody(request, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
