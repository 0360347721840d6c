import { availableParallelism } from 'node:os';
import type { Actor } from '../auth/actor.ts';
import type { Config } from '../config/config.ts';
import { serviceUnavailable } from '../errors/errors.ts';
import { callerShares } from '../limits/caller-shares.ts';
import { Semaphore } from '../workers/semaphore.ts';
import { SharedSlots } from '../workers/shared-slots.ts';
import { WorkBudget, type WorkLimits } from '../workers/work-budget.ts';

/** Archives open at the same time: each needs about 4 MB, and nothing else while its client is slow. */
const openArchives = new SharedSlots();
const archiveSlots = { all: 24, anonymous: 16, perAddress: 2, perCredential: 2 };

/**
 * Archives that read, compress and convert at the same time: half of the cores. They share the worker threads and the four threads
 * of libuv with password hashes and Markdown, and PostgreSQL uses CPU meanwhile: with two archives on two cores the main thread had
 * no core left.
 */
const activeProducers = new Semaphore(Math.max(1, Math.floor(availableParallelism() / 2)));

/** Time for a client to read a chunk. A client slower than 2 KB per second is disconnected. */
const maxIdleMs = 30_000;
const chunkBytes = 64 * 1024;

/** The work of an archive in multiples of that of a request: it has as many files, and reading them all is its purpose. */
const workFactor = { steps: 5, milliseconds: 60 };

/** The work budget of one archive. `signal`: the client has left. */
export function archiveBudget(config: Config, signal: AbortSignal): WorkBudget {
  const limits: WorkLimits = {
    steps: workFactor.steps * config.WORK_MAX_STEPS,
    objects: config.ARCHIVE_MAX_ENTRIES,
    bytes: config.ARCHIVE_MAX_MB * 1024 * 1024,
    milliseconds: workFactor.milliseconds * config.WORK_TIMEOUT_MS,
  };
  return new WorkBudget(limits, signal, {
    steps: `${workFactor.steps} × WORK_MAX_STEPS`,
    objects: 'ARCHIVE_MAX_ENTRIES',
    bytes: 'ARCHIVE_MAX_MB',
    milliseconds: `${workFactor.milliseconds} × WORK_TIMEOUT_MS`,
  });
}

/** Takes a slot and returns the function that releases it. @throws unavailable */
export function openArchive(actor: Actor): () => void {
  const release = openArchives.take(callerShares(actor, archiveSlots));
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

/** Waits for the first item, so that an error before it can still be answered. Yields all items. */
export async function awaitFirst<T>(items: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await items.next();
  async function* all(): AsyncGenerator<T> {
    if (first.done) return;
    yield first.value;
    yield* items;
  }
  return all();
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
