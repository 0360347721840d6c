import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { eventRetentionMs } from './feed-rows.ts';

const housekeepingJob = defineHousekeepingJob('event-housekeeping');

const weekMs = 7 * 24 * 60 * 60_000;
/** Weekly partitions that exist in advance, including the current one. */
const weeksAhead = 3;
/** Maximum rows per delete statement. */
const deleteBatchSize = 20_000;

/**
 * Maintains the weekly partitions of the event table: creates coming ones, moves rows into them from the default
 * partition, and drops those whose events are all older than 90 days. Run it in a transaction. Lock waits are limited
 * to five seconds.
 */
export async function maintainEventPartitions(
  db: Kysely<unknown>,
  now: Date,
): Promise<{ created: string[]; dropped: string[] }> {
  await sql`select set_config('lock_timeout', '5s', true)`.execute(db);
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'event'::regclass order by c.relname`.execute(db);
  const there = new Set(rows.map(({ name }) => name));
  const created: string[] = [];
  for (let at = 0; at < weeksAhead; at++) {
    const from = startOfWeek(new Date(now.getTime() + at * weekMs));
    const name = partitionName(from);
    if (there.has(name)) continue;
    await createWeek(db, name, from);
    created.push(name);
  }
  const before = new Date(now.getTime() - eventRetentionMs);
  const dropped: string[] = [];
  for (const name of there) {
    const from = partitionStart(name);
    if (from === undefined || from.getTime() + weekMs > before.getTime()) continue;
    await sql`drop table ${sql.table(name)}`.execute(db);
    dropped.push(name);
  }
  await sql`delete from event_default where (id, created_at) in (
    select id, created_at from event_default where created_at <= ${before.toISOString()}::timestamptz
    limit ${deleteBatchSize})`.execute(db);
  return { created, dropped };
}

/**
 * Locks the default partition while its rows move: PostgreSQL rejects a new partition whose rows are in the default
 * one.
 */
async function createWeek(db: Kysely<unknown>, name: string, from: Date): Promise<void> {
  const [start, end] = [from.toISOString(), new Date(from.getTime() + weekMs).toISOString()];
  await sql`lock table event_default in access exclusive mode`.execute(db);
  await sql`create table ${sql.table(name)} (like event including all)`.execute(db);
  await sql`with gone as (
      delete from event_default where created_at >= ${start}::timestamptz and created_at < ${end}::timestamptz returning *)
    insert into ${sql.table(name)} select * from gone`.execute(db);
  await sql`alter table event attach partition ${sql.table(name)} for values from (${sql.lit(start)}) to (${sql.lit(end)})`.execute(
    db,
  );
}

/** Monday 00:00 UTC of the week. */
function startOfWeek(at: Date): Date {
  const day = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  return new Date(day - ((at.getUTCDay() + 6) % 7) * 24 * 60 * 60_000);
}

const partitionName = (from: Date): string => `event_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;

function partitionStart(name: string): Date | undefined {
  const [, year, month, day] = /^event_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? undefined : new Date(`${year}-${month}-${day}T00:00:00Z`);
}

/** Background tasks of events. */
export function eventTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: housekeepingJob,
      concurrency: 1,
      schedule: '7 * * * *',
      work: async () => {
        await inTransaction(database, db => maintainEventPartitions(db, clock()));
      },
    },
  ] as Task<never>[];
}
