import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineJob } from '../../jobs/define-job.ts';
import type { Task } from '../../jobs/run-task.ts';
import { addUsageDays, dayOf, dropUsageDay, rollUpUsage, usageDays } from './usage-days.ts';

const housekeeping = defineJob<object>({
  name: 'usage-housekeeping',
  retry: { limit: 5, delaySeconds: 60, backoff: true },
  heartbeatSeconds: 30,
  timeoutSeconds: 1_800,
  retentionDays: 7,
});

const day = 24 * 60 * 60_000;

/** Days before the present that are kept by the minute. Older ones are kept by the hour, a sixtieth of the rows at best. */
export const minuteDays = 8;
/** Days before the present that are kept at all. */
export const keptDays = 90;
/** Days ahead that there is room for: a job that does not run for a day or two keeps nobody waiting. */
const daysAhead = 3;

/**
 * Makes room for the next days, puts minutes together to hours, forgets what is too old. A transaction for each day: an
 * interrupted run has done some of it, and a second one finds nothing to do.
 */
export async function keepUsage(database: Database, now: Date): Promise<void> {
  const at = (days: number): string => dayOf(new Date(now.getTime() + days * day));
  await inTransaction(database, db =>
    addUsageDays(
      db,
      Array.from({ length: daysAhead + 1 }, (_, days) => at(days)),
    ),
  );
  for (const date of await usageDays(database.sql)) {
    if (date < at(-keptDays)) await inTransaction(database, db => dropUsageDay(db, date));
    else if (date < at(-minuteDays)) await inTransaction(database, db => rollUpUsage(db, date));
  }
  await forgetProcesses(database.sql, now);
}

/** A batch is repeated every second: a process that wrote nothing for a day has none to repeat. */
async function forgetProcesses(db: Kysely<unknown>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - day);
  await sql`delete from api_usage_process where written_at < ${before}`.execute(db);
}

/** What the counts have done outside of requests. */
export function insightTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: housekeeping,
      concurrency: 1,
      schedule: '11 * * * *',
      work: () => keepUsage(database, clock()),
    },
  ] as Task<never>[];
}
