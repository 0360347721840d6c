import { type Database, inTransaction } from '../../db/database.ts';
import { defineJob } from '../../jobs/define-job.ts';
import type { Task } from '../../jobs/task.ts';
import { countTermFrequencies, refreshAllMatchingTerms } from '../profiles/matching-terms.ts';

const profilesJob = defineJob<object>({
  name: 'health-profiles',
  retry: { limit: 3, delaySeconds: 60, backoff: true },
  heartbeatSeconds: 30,
  timeoutSeconds: 1800,
  retentionDays: 7,
});

const frequenciesJob = defineJob<object>({
  name: 'term-frequencies',
  retry: { limit: 3, delaySeconds: 60, backoff: true },
  heartbeatSeconds: 30,
  timeoutSeconds: 600,
  retentionDays: 7,
});

/** Background jobs of the community. */
export function communityTasks({ database }: { database: Database }): Task<never>[] {
  return [
    {
      job: profilesJob,
      concurrency: 1,
      // Changes by a user refresh the terms at once; this removes what has expired.
      schedule: '41 3 * * *',
      work: async () => {
        await refreshAllMatchingTerms(work => inTransaction(database, work));
      },
    },
    {
      job: frequenciesJob,
      concurrency: 1,
      // Frequencies change slowly; until the next run a new term counts as rare.
      schedule: '11 * * * *',
      work: async () => {
        await inTransaction(database, countTermFrequencies);
      },
    },
  ] as Task<never>[];
}
