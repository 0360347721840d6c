import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { deleteRows, runInBatches } from '../../db/row-batches.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { type IsolatedWork, jobCaller } from '../../workers/isolated-work.ts';
import { countQueuedLanguages } from './count-languages.ts';

const housekeepingJob = defineHousekeepingJob('download-housekeeping');
const languagesJob = defineHousekeepingJob('repository-languages');

/** A run ends before the next one begins, which continues; in milliseconds. */
const maxLanguagesRunMs = 50_000;

/** Deletes used download tokens that have expired. `limit` and the result are those of a `RowBatch`; null for all. */
export const deleteExpiredDownloads = (db: Kysely<unknown>, now: Date, limit: number | null = null): Promise<number> =>
  deleteRows(db, 'used_download', sql`expires_at < ${now.toISOString()}`, limit);

interface ContentDependencies {
  database: Database;
  clock: Clock;
  isolatedWork?: IsolatedWork | undefined;
}

/** Background tasks of downloads and of languages. */
export function contentTasks({ database, clock, isolatedWork }: ContentDependencies): Task<never>[] {
  return [
    {
      job: housekeepingJob,
      concurrency: 1,
      schedule: '17 * * * *',
      work: async (_data, { signal }) => {
        const now = clock();
        await runInBatches(
          work => inTransaction(database, work),
          (db, limit) => deleteExpiredDownloads(db, now, limit),
          signal,
        );
      },
    },
    {
      job: languagesJob,
      concurrency: 1,
      schedule: '* * * * *',
      work: async (_data, { signal }) => {
        const end = clock().getTime() + maxLanguagesRunMs;
        const context = {
          read: database.read,
          isolation: isolatedWork?.for(jobCaller),
          transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(database, work),
        };
        await countQueuedLanguages(context, () => signal.aborted || clock().getTime() > end);
      },
    },
  ] as Task<never>[];
}
