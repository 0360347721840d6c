import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { deleteRows, largest, runInBatches } from '../../db/row-batches.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';

const housekeepingJob = defineHousekeepingJob('credential-housekeeping');

const dayMs = 24 * 60 * 60_000;
/**
 * How long, in milliseconds, invalid tokens are kept: a failed attempt with one counts against its owner and not
 * against the IP address.
 */
const deadTokenRetentionMs = 30 * dayMs;

/**
 * Deletes tokens that expired or were revoked a month ago and cannot be refreshed. Installations create one per hour. `limit` and the result
 * are those of a `RowBatch`; null for all.
 */
export async function deleteDeadTokens(db: Kysely<unknown>, now: Date, limit: number | null = null): Promise<number> {
  const before = new Date(now.getTime() - deadTokenRetentionMs);
  // Undecided and denied requests, and grants whose tokens are gone. Anyone may begin the flow of a device.
  const aDayAgo = new Date(now.getTime() - dayMs);
  return largest([
    await deleteRows(
      db,
      'host_credential',
      sql`(expires_at < ${before} or revoked_at < ${before})
        and (revoked_at is not null or not exists (select 1 from oauth_grant g join oauth_refresh_token t on t.grant_id = g.id
          where g.credential_id = host_credential.id and t.used_at is null and t.expires_at > ${now}))`,
      limit,
    ),
    await deleteRows(db, 'oauth_grant', sql`expires_at < ${aDayAgo} and credential_id is null`, limit),
    await deleteRows(db, 'browser_session', sql`expires_at < ${aDayAgo}`, limit),
  ]);
}

/** Background tasks of credentials. */
export function credentialTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: housekeepingJob,
      concurrency: 1,
      schedule: '41 3 * * *',
      work: async (_data, { signal }) => {
        const now = clock();
        await runInBatches(
          work => inTransaction(database, work),
          (db, limit) => deleteDeadTokens(db, now, limit),
          signal,
        );
      },
    },
  ] as Task<never>[];
}
