import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { convertContent, type FileToConvert } from './conversions.ts';

/** The worst case, 8 MiB of `$Id$`, takes 0.5 s. */
const conversionTask: WorkerTask<FileToConvert, Uint8Array> = {
  name: 'files of archives',
  program: programBeside(import.meta.url, 'convert-worker'),
  deadlineMs: 10_000,
  maxQueued: 100,
  maxQueuedPerKey: 100,
  maxQueueMs: 30_000,
};

/** Maximum size for a conversion on the main thread: 3 ms in the worst case. */
const maxMainThreadBytes = 64 * 1024;

/**
 * Converts a file for an archive.
 * @throws `unavailable` when no worker thread is free in time: an archive must never differ
 */
export async function convertFile(file: FileToConvert & { content: Buffer }): Promise<Buffer> {
  if (file.content.length <= maxMainThreadBytes) return convertContent(file.content, file.conversion, file);
  const outcome = await workerPool.run(conversionTask, file);
  if (outcome.kind !== 'done') throw serviceUnavailable({ reason: 'conversion_busy' });
  return Buffer.from(outcome.value);
}
