import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { corruptObject } from '../git-error.ts';
import type { Repository } from '../repository.ts';
import type { ArchivedCommit } from './conversions.ts';
import type { BatchToEncode, EncodedBatch } from './encode-batch.ts';

/**
 * A batch of 1 MB takes 40 ms, and a file of 1 MB that `$Id$` makes 12 MB of 0.6 s. The deadline is far above both: threads have a
 * lower priority than the rest of the machine, and on two cores with 30 running processes batches missed one of 30 seconds.
 */
const encodingTask: WorkerTask<BatchToEncode, EncodedBatch> = {
  name: 'archives',
  program: programBeside(import.meta.url, 'encode-worker'),
  deadlineMs: 120_000,
  maxQueued: 100,
  maxQueuedPerKey: 100,
  maxQueueMs: 120_000,
};

/**
 * Encodes a batch on a worker thread, which is free again for others before the next one. `bytes` are a part of the archive,
 * `central` the records of a central directory, packed. Spends the bytes of the contents.
 *
 * @throws GitError `corrupt`; WorkBudgetError; `unavailable` when no thread is free in time: an archive must never differ
 */
export async function runEncoder(
  { id, workBudget }: Pick<Repository, 'id' | 'workBudget'>,
  { archived, ...batch }: Omit<BatchToEncode, 'time' | 'archived'> & { archived: ArchivedCommit },
): Promise<{ bytes: Buffer; central: Uint8Array; centralBytes: number }> {
  const isConverted = batch.entries.some(({ conversion }) => conversion !== undefined);
  const time = archived.commit.committer.seconds;
  const input = { ...batch, time, archived: isConverted ? archived : undefined };
  const outcome = await workerPool.run(encodingTask, input, { key: `archive:${id}` });
  if (outcome.kind !== 'done') throw serviceUnavailable({ reason: 'archives_busy' });
  const encoded = outcome.value;
  if (encoded.kind === 'corrupt') throw corruptObject(encoded.oid);
  workBudget.spendObjects(0, encoded.contentBytes);
  const { central, centralBytes } = encoded;
  return { bytes: bufferOf(encoded.bytes), central, centralBytes };
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
