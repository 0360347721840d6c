import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
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
 * Deletes tokens that expired or were revoked a month ago and cannot be refreshed. Installations create one per hour. Returns the number of
 * deleted rows.
 */
export async function deleteDeadTokens(db: Kysely<unknown>, now: Date): Promise<number> {
  const before = new Date(now.getTime() - deadTokenRetentionMs);
  const deleted = await sql`delete from host_credential c where (c.expires_at < ${before} or c.revoked_at < ${before})
        and (c.revoked_at is not null or not exists (select 1 from oauth_grant g join oauth_refresh_token t on t.grant_id = g.id
          where g.credential_id = c.id and t.used_at is null and t.expires_at > ${now})) returning id`.execute(db);
  // Undecided and denied requests, and grants whose tokens are gone. Anyone may begin the flow of a device.
  const aDayAgo = new Date(now.getTime() - dayMs);
  await sql`delete from oauth_grant where expires_at < ${aDayAgo} and credential_id is null`.execute(db);
  await sql`delete from browser_session where expires_at < ${aDayAgo}`.execute(db);
  return deleted.rows.length;
}

/** Background tasks of credentials. */
export function credentialTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: housekeepingJob,
      concurrency: 1,
      schedule: '41 3 * * *',
      work: async () => {
        await inTransaction(database, db => deleteDeadTokens(db, clock()));
      },
    },
  ] as Task<never>[];
}
