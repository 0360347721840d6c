import { inTransaction } from '../../db/database.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { enqueueAll } from '../../jobs/enqueue.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { takeDue } from './feed-subscriptions.ts';
import type { FeedDependencies } from './run-feed.ts';

/** Runs one subscription. A failing publisher does not fail the job: it is retried after our own defects and database outages only. */
const feedJob = defineJob<{ id: number }>({
  name: 'article-feed',
  retry: { limit: 2, delaySeconds: 60, backoff: true },
  heartbeatSeconds: 30,
  timeoutSeconds: 300,
  retentionDays: 1,
});

/** Background jobs of the feeds that the operator has subscribed to. */
export function articleFeedTasks(dependencies: FeedDependencies): Task<never>[] {
  const { database, clock } = dependencies;
  return [
    {
      job: defineHousekeepingJob('article-feeds'),
      concurrency: 1,
      schedule: '* * * * *',
      work: () =>
        inTransaction(database, async db => {
          const due = await takeDue(db, clock());
          await enqueueAll(
            db,
            feedJob,
            due.map(id => ({ data: { id } })),
          );
        }),
    },
    {
      job: feedJob,
      // Imports take turns anyway, and publishers are asked one after the other.
      concurrency: 1,
      work: async ({ id }: { id: number }, { signal }: { signal: AbortSignal }) => {
        // Only an installation with subscriptions loads what reads feeds.
        const { runFeed } = await import('./run-feed.ts');
        await runFeed(dependencies, id, signal);
      },
    },
  ] as Task<never>[];
}
