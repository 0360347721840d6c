import { type Database, inTransaction } from '../../db/database.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { compactArticleTallies } from './article-tallies.ts';

/** Background jobs of the articles. */
export function articleTasks({ database }: { database: Database }): Task<never>[] {
  return [
    {
      job: defineHousekeepingJob('article-tallies'),
      concurrency: 1,
      // Each import of an article appends some six rows, and a count sums 10,000 of them in a millisecond.
      schedule: '*/10 * * * *',
      work: () => inTransaction(database, compactArticleTallies),
    },
  ] as Task<never>[];
}
