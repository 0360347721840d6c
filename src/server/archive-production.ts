import { availableParallelism } from 'node:os';
import { serviceUnavailable } from '../errors/errors.ts';
import { KeyedSlots, Semaphore } from '../workers/semaphore.ts';

/** Archives open at the same time: each needs about 4 MB, and nothing else while its client is slow. */
const openArchives = new KeyedSlots({ all: 24, perKey: 2 });

/**
 * Archives that read, compress and convert at the same time: half of the cores. Compression runs on the four threads of libuv,
 * which password hashes and files need as well, and PostgreSQL uses CPU meanwhile: with two archives on two cores the main
 * thread had no core left.
 */
const activeProducers = new Semaphore(Math.max(1, Math.floor(availableParallelism() / 2)));

/** Time for a client to read a chunk. A client slower than 2 KB per second is disconnected. */
const maxIdleMs = 30_000;

/** Takes a slot and returns the function that releases it. Two slots per `key`. @throws unavailable */
export function openArchive(key: string): () => void {
  const release = openArchives.take(key);
  if (!release)
    throw serviceUnavailable({ reason: 'archives_busy' }, 'Too many archives are being downloaded. Try again later.');
  return release;
}

/**
 * The chunks of an archive, produced no faster than they are read and interleaved with other archives: a slow client holds
 * memory and an open slot, but no CPU. `abort` is called when the client does not read for too long.
 */
export async function* producePieces(pieces: AsyncGenerator<Buffer>, abort: () => void): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const piece = await activeProducers.run(() => pieces.next());
      if (piece.done) return;
      const idle = setTimeout(abort, maxIdleMs);
      try {
        yield piece.value;
      } finally {
        clearTimeout(idle);
      }
    }
  } finally {
    await pieces.return(undefined);
  }
}
