import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { countDays } from './count-day.ts';

/** Background task of the counts by day. */
export function healthInsightTasks({ database, clock }: { database: Database; clock: Clock }): Task<never>[] {
  return [
    {
      job: defineHousekeepingJob('health-insights'),
      concurrency: 1,
      // Counts a day once, in the first hour after it; the later runs read 90 keys.
      schedule: '17 * * * *',
      work: () => countDays(work => inTransaction(database, work), clock()),
    },
  ] as Task<never>[];
}
