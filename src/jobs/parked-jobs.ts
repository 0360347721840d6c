import { type Kysely, sql } from 'kysely';
import type { Read } from '../db/read.ts';
import { jobsSchema } from './jobs-database.ts';

/** A job whose attempts have killed their process too often. */
export interface ParkedJob {
  id: string;
  queue: string;
  deaths: number;
  parkedAt: Date;
  /** Null when its retention has ended. */
  data: unknown;
}

const attempt = sql.table(`${jobsSchema}.attempt`);
const job = sql.table(`${jobsSchema}.job`);

/** All parked jobs, the oldest first. */
export const listParkedJobs = (read: Read): Promise<ParkedJob[]> =>
  read(sql<ParkedJob>`
    select a.job_id as id, a.queue, a.deaths, a.parked_at as "parkedAt", j.data from ${attempt} a
    left join ${job} j on j.name = a.queue and j.id = a.job_id where a.parked_at is not null order by a.parked_at`);

/** Lets a parked job run again, with a new count of deaths. Returns whether there was one. */
export async function retryParkedJob(db: Kysely<unknown>, id: string): Promise<boolean> {
  const parked = await deleteParked(db, id);
  const { numAffectedRows } =
    await sql`update ${job} set state = 'retry', retry_limit = retry_count + 1, completed_on = null,
    start_after = now() where name = ${parked?.queue ?? ''} and id = ${id} and state = 'failed'`.execute(db);
  return parked !== undefined && (numAffectedRows ?? 0n) > 0n;
}

/** Deletes a parked job. Returns whether there was one. */
export async function discardParkedJob(db: Kysely<unknown>, id: string): Promise<boolean> {
  const parked = await deleteParked(db, id);
  await sql`delete from ${job} where name = ${parked?.queue ?? ''} and id = ${id}`.execute(db);
  return parked !== undefined;
}

async function deleteParked(db: Kysely<unknown>, id: string): Promise<{ queue: string } | undefined> {
  const { rows } = await sql<{ queue: string }>`
    delete from ${attempt} where job_id = ${id} and parked_at is not null returning queue`.execute(db);
  return rows[0];
}
