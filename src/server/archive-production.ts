import { availableParallelism } from 'node:os';
import { serviceUnavailable } from '../errors/errors.ts';
import { KeyedSlots, Semaphore } from '../workers/semaphore.ts';

/** Archives that are sent at the same time: each holds about 4 MB, and nothing else while its reader is slow. */
const openArchives = new KeyedSlots({ all: 24, perKey: 2 });

/**
 * Archives that read, compress and convert at the same time: half of the cores. Compression runs on the four threads of libuv, which
 * passwords and files need as well, and PostgreSQL reads meanwhile: with two at work on two cores the main thread had no core left.
 */
const activeProducers = new Semaphore(Math.max(1, Math.floor(availableParallelism() / 2)));

/** Milliseconds in which a reader has to take what was sent. Less than 2 KB a second is not worth a slot. */
const maxIdleMs = 30_000;

/** Takes a slot among the open archives and gives how to release it. `key`: who reads; a reader has two at a time. */
export function openArchive(key: string): () => void {
  const release = openArchives.take(key);
  if (!release)
    throw serviceUnavailable({ reason: 'archives_busy' }, 'Too many archives are being downloaded. Try again later.');
  return release;
}

/**
 * The pieces of an archive, produced no faster than they are read, and in turns with other archives: a slow reader holds memory and a
 * slot among the open ones, but no processor. `stop` is called when the reader takes nothing for too long.
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
