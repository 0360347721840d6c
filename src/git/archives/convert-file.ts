import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import type { FileToConvert } from './conversions.ts';

/** The worst case, 8 MiB of `$Id$`, takes 0.5 s. The times are those of `runEncoder`, for the same reason. */
const conversionTask: WorkerTask<FileToConvert, Uint8Array> = {
  name: 'files of archives',
  program: programBeside(import.meta.url, 'convert-worker'),
  deadlineMs: 120_000,
  maxQueued: 100,
  maxQueuedPerKey: 100,
  maxQueueMs: 120_000,
};

/**
 * Converts a file for an archive.
 * @throws `unavailable` when no worker thread is free in time: an archive must never differ
 */
export async function convertFile(file: FileToConvert): Promise<Buffer> {
  const outcome = await workerPool.run(conversionTask, file);
  if (outcome.kind !== 'done') throw serviceUnavailable({ reason: 'conversion_busy' });
  return Buffer.from(outcome.value);
}
