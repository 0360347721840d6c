import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { runInBatches } from '../../db/row-batches.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { compactInsightTallies } from './insight-tallies.ts';
import {
  createUsagePartitions,
  dropUsagePartition,
  formatDay,
  listUsageDays,
  rollUpUsage,
} from './usage-partitions.ts';

const housekeepingJob = defineHousekeepingJob('usage-housekeeping', 1_800);
const tallyJob = defineHousekeepingJob('insight-tallies');

const dayMs = 24 * 60 * 60_000;

/** Days with counts per minute. Older days have counts per hour, at best a sixtieth of the rows. */
export const minuteRetentionDays = 8;
/** Days that are kept at all. */
export const retentionDays = 90;
/** Partitions created in advance, so that the job can fail for some days without delaying writers. */
const daysAhead = 3;

/**
 * Creates coming partitions, rolls old minutes up to hours and drops expired partitions. One transaction per hour or day, so
 * an interrupted run can be repeated.
 */
export async function maintainUsage(database: Database, now: Date): Promise<void> {
  const dayFromNow = (days: number): string => formatDay(new Date(now.getTime() + days * dayMs));
  await inTransaction(database, db =>
    createUsagePartitions(
      db,
      Array.from({ length: daysAhead + 1 }, (_, days) => dayFromNow(days)),
    ),
  );
  for (const date of await listUsageDays(database.sql)) {
    if (date < dayFromNow(-retentionDays)) await inTransaction(database, db => dropUsagePartition(db, date));
    else if (date < dayFromNow(-minuteRetentionDays)) {
      for (let hour = 0; hour < 24; hour++) await inTransaction(database, db => rollUpUsage(db, date, hour));
    }
  }
  await deleteIdleProcesses(database.sql, now);
}

/** Batches are retried every second, so a process that wrote nothing for a day has none to retry. */
async function deleteIdleProcesses(db: Kysely<unknown>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - dayMs);
  await sql`delete from api_usage_process where written_at < ${before}`.execute(db);
}

/** Background tasks of API usage, and of the counts of the installation. */
export function insightTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: housekeepingJob,
      concurrency: 1,
      schedule: '11 * * * *',
      work: () => maintainUsage(database, clock()),
    },
    {
      job: tallyJob,
      concurrency: 1,
      // A gateway appends some hundred rows a second at most: a read adds up 6,000 of them in a few milliseconds.
      schedule: '* * * * *',
      work: async (_data, { signal }) => {
        const now = clock();
        await runInBatches(
          work => inTransaction(database, work),
          (db, limit) => compactInsightTallies(db, now, limit),
          signal,
        );
      },
    },
  ] as Task<never>[];
}
