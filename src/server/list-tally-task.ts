import { type Database, inTransaction } from '../db/database.ts';
import { compactListTallies } from '../db/list-tallies.ts';
import { runInBatches } from '../db/row-batches.ts';
import { defineHousekeepingJob } from '../jobs/housekeeping-job.ts';
import type { Task } from '../jobs/task.ts';

const compactionJob = defineHousekeepingJob('list-tallies');

/** Sums the appended changes of the lengths of lists, of both products. */
export function listTallyTask({ database }: { database: Database }): Task<never> {
  return {
    job: compactionJob,
    concurrency: 1,
    // A list that changes a hundred times a second has 6,000 rows to add up by then, which takes a millisecond.
    schedule: '* * * * *',
    work: async (_data, { signal }) => {
      await runInBatches(work => inTransaction(database, work), compactListTallies, signal);
    },
  } satisfies Task<object> as Task<never>;
}
