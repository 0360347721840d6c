import type { IncomingMessage } from 'node:http';
import { createGunzip, type Gunzip } from 'node:zlib';
import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import { GitHttpError } from './git-http-error.ts';
import { inflateMicrosecondsPerByte } from './git-limits.ts';

/** Unpacked bytes for which the ratio does not matter. */
const freeBytes = 1024 * 1024;

interface BodyOptions {
  /** Unpacked. */
  maxBytes: number;
  /** The multiple of its compressed bytes that a body may unpack to, beyond the first megabyte. */
  maxExpansion: number;
  /** Adds to the CPU time of the request, in microseconds. */
  addCpuTime(microseconds: number): void;
}

/**
 * The body of a request, unpacked when git has compressed it: charged by what it unpacks to, while it does.
 * @throws GitHttpError 413, 415, or 400 for a damaged or incomplete body
 */
export async function* readBody(
  request: IncomingMessage,
  { maxBytes, maxExpansion, addCpuTime }: BodyOptions,
): AsyncGenerator<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const gunzip = encoding === 'gzip' || encoding === 'x-gzip' ? gunzipOf(request) : undefined;
  if (!gunzip && encoding !== 'identity' && encoding !== '') {
    throw new GitHttpError(415, 'The body of the request is encoded in a way that this server does not read.');
  }
  let bytes = 0;
  try {
    for await (const chunk of gunzip ?? request) {
      bytes += chunk.length;
      if (gunzip) addCpuTime(chunk.length * inflateMicrosecondsPerByte);
      if (bytes > maxBytes) {
        throw new GitHttpError(413, `The request has more than ${Math.floor(maxBytes / 1024 / 1024)} MB.`);
      }
      if (gunzip && bytes > freeBytes + maxExpansion * gunzip.bytesWritten) {
        throw new GitHttpError(413, `The request unpacks to more than ${maxExpansion} times its size.`);
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof GitHttpError) throw error;
    throw new GitHttpError(400, 'The body of the request is damaged or incomplete.');
  }
}

/** Not `pipeline`, which would end the request, and with it the connection, when a body is refused before its end. */
function gunzipOf(request: IncomingMessage): Gunzip {
  // Each chunk is an event of the main thread: chunks of 16 KB, the default, take it four times as often.
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  const fail = (error?: Error): void => {
    if (!request.readableEnded) gunzip.destroy(error ?? new Error('The request ends early.'));
  };
  // The client may have left while its credential was checked; then no event follows, and a slot would never be released.
  if (request.destroyed) fail();
  request.once('error', fail).once('close', fail);
  gunzip.once('close', () => request.unpipe(gunzip).pause().off('error', fail).off('close', fail));
  return request.pipe(gunzip);
}

/** The whole body. Its size is limited by the caller. */
export async function readWholeBody(request: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readBody(request, options)) chunks.push(chunk);
  // Bodies of 10 MB that end together are copied one in a turn.
  if (chunks.length > 1) await nextEventLoopTurn();
  return Buffer.concat(chunks);
}
