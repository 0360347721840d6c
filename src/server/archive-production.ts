import { availableParallelism } from 'node:os';
import { serviceUnavailable } from '../errors/errors.ts';
import { KeyedSlots, Semaphore } from '../workers/semaphore.ts';

/** Archives open at the same time: each needs about 4 MB, and nothing else while its client is slow. */
const openArchives = new KeyedSlots({ all: 24, perKey: 2 });

/**
 * Archives that read, compress and convert at the same time: half of the cores. They share the worker threads and the four threads
 * of libuv with password hashes and Markdown, and PostgreSQL uses CPU meanwhile: with two archives on two cores the main thread had
 * no core left.
 */
const activeProducers = new Semaphore(Math.max(1, Math.floor(availableParallelism() / 2)));

/** Time for a client to read a chunk. A client slower than 2 KB per second is disconnected. */
const maxIdleMs = 30_000;
const chunkBytes = 64 * 1024;

/** Takes a slot and returns the function that releases it. Two slots per `key`. @throws unavailable */
export function openArchive(key: string): () => void {
  const release = openArchives.take(key);
  if (!release)
    throw serviceUnavailable({ reason: 'archives_busy' }, 'Too many archives are being downloaded. Try again later.');
  return release;
}

/**
 * The pieces of an archive, produced no faster than they are read and interleaved with other archives: a slow client holds
 * memory and an open slot, but no CPU.
 */
export async function* producePieces(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const piece = await activeProducers.run(() => pieces.next());
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    await pieces.return(undefined);
  }
}

/** The pieces as chunks of at most 64 KB. `abort` is called when the client does not read one of them for `idleMs`. */
export async function* deliverChunks(
  pieces: AsyncGenerator<Buffer>,
  abort: () => void,
  idleMs = maxIdleMs,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += chunkBytes) {
      const idle = setTimeout(abort, idleMs);
      try {
        yield piece.subarray(at, at + chunkBytes);
      } finally {
        clearTimeout(idle);
      }
    }
  }
}
