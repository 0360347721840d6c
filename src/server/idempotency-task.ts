import { sql } from 'kysely';
import type { Clock } from '../context/context.ts';
import { type Database, inTransaction } from '../db/database.ts';
import { defineHousekeepingJob } from '../jobs/housekeeping-job.ts';
import type { Task } from '../jobs/task.ts';

const expiryJob = defineHousekeepingJob('idempotent-requests');

/** Deletes the stored responses of both products that have expired. */
export function idempotencyTask({ database, clock }: { database: Database; clock: Clock }): Task<never> {
  return {
    job: expiryJob,
    concurrency: 1,
    schedule: '27 * * * *',
    work: async () => {
      const now = clock().toISOString();
      await inTransaction(database, db => sql`delete from idempotent_request where expires_at < ${now}`.execute(db));
    },
  } as Task<never>;
}
