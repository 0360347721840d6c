import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/run-task.ts';

const housekeepingJob = defineHousekeepingJob('download-housekeeping');

/** Deletes used download tokens that have expired. */
export async function deleteExpiredDownloads(db: Kysely<unknown>, now: Date): Promise<number> {
  const gone = await sql`delete from used_download where expires_at < ${now.toISOString()} returning id`.execute(db);
  return gone.rows.length;
}

/** Background tasks of downloads. */
export function contentTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: housekeepingJob,
      concurrency: 1,
      schedule: '17 * * * *',
      work: async () => {
        await inTransaction(database, db => deleteExpiredDownloads(db, clock()));
      },
    },
  ] as Task<never>[];
}
