import { sql } from 'kysely';
import type { Clock } from '../context/context.ts';
import { type Database, inTransaction } from '../db/database.ts';
import { deleteRows, runInBatches } from '../db/row-batches.ts';
import { defineHousekeepingJob } from '../jobs/housekeeping-job.ts';
import type { Task } from '../jobs/task.ts';

const expiryJob = defineHousekeepingJob('idempotent-requests');

/** Deletes the stored responses of both products that have expired. */
export function idempotencyTask({ database, clock }: { database: Database; clock: Clock }): Task<never> {
  return {
    job: expiryJob,
    concurrency: 1,
    schedule: '27 * * * *',
    work: async (_data, { signal }) => {
      const expired = sql`expires_at < ${clock()}`;
      await runInBatches(
        work => inTransaction(database, work),
        (db, limit) => deleteRows(db, 'idempotent_request', expired, limit),
        signal,
      );
    },
  } satisfies Task<object> as Task<never>;
}
