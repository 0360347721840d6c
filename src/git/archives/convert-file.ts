import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { convertContent, type FileToConvert } from './conversions.ts';

/** A file of 8 MiB that is nothing but `$Id$` takes 0.5 s. */
const conversionTask: WorkerTask<FileToConvert, Uint8Array> = {
  name: 'files of archives',
  program: programBeside(import.meta.url, 'convert-worker'),
  deadlineMs: 10_000,
  maxQueued: 100,
  maxQueuedPerKey: 100,
  maxQueueMs: 30_000,
};

/** Bytes that are converted on the main thread: 3 ms at worst. */
const maxMainThreadBytes = 64 * 1024;

/** The content of a file as an archive has it. Throws `unavailable` where no thread is free in time: archives never differ. */
export async function convertFile(file: FileToConvert & { content: Buffer }): Promise<Buffer> {
  if (file.content.length <= maxMainThreadBytes) return convertContent(file.content, file.conversion, file);
  const outcome = await workerPool.run(conversionTask, file);
  if (outcome.kind !== 'done') throw serviceUnavailable({ reason: 'conversion_busy' });
  return Buffer.from(outcome.value);
}
