import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineJob } from '../../jobs/define-job.ts';
import type { Task } from '../../jobs/run-task.ts';

const housekeeping = defineJob<object>({
  name: 'download-housekeeping',
  retry: { limit: 5, delaySeconds: 60, backoff: true },
  heartbeatSeconds: 30,
  timeoutSeconds: 600,
  retentionDays: 7,
});

/** Deletes used download tokens that have expired. */
export async function deleteExpiredDownloads(db: Kysely<unknown>, now: Date): Promise<number> {
  const gone = await sql`delete from used_download where expires_at < ${now.toISOString()} returning id`.execute(db);
  return gone.rows.length;
}

/** Background tasks of downloads. */
export function contentTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: housekeeping,
      concurrency: 1,
      schedule: '17 * * * *',
      work: async () => {
        await inTransaction(database, db => deleteExpiredDownloads(db, clock()));
      },
    },
  ] as Task<never>[];
}
