import type { Config } from '../../config/config.ts';
import type { Clock } from '../../context/context.ts';
import type { Database } from '../../db/database.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import type { LongWork } from '../../workers/long-task.ts';
import { copyIntoFork, copyJob } from './copy-git-data.ts';
import { collectChanged, repackGrown } from './maintain-changed.ts';
import { removeStrayScratch } from './maintain-repository.ts';

/** Seconds of one attempt. A run begins no further repository after half of them. */
const timeoutSeconds = 7_200;
const maxRunMs = (timeoutSeconds / 2) * 1000;

const repackJob = defineHousekeepingJob('repository-repack', timeoutSeconds);
const collectionJob = defineHousekeepingJob('repository-garbage-collection', timeoutSeconds);

/** Background tasks of repositories: large forks, and storage economy. */
export function repositoryTasks({
  config,
  database,
  clock,
  longWork,
}: {
  config: Config;
  database: Database;
  clock: Clock;
  longWork?: LongWork | undefined;
}): Task<never>[] {
  const run = (work: typeof repackGrown, schedule: string, job: Task<object>['job']): Task<object> => ({
    job,
    concurrency: 1,
    schedule,
    work: (_data, { signal }) => {
      const end = clock().getTime() + maxRunMs;
      const isStopped = (): boolean => signal.aborted || clock().getTime() > end;
      return work({ config, database, now: clock, signal, longWork }, isStopped);
    },
  });
  const repackTask = {
    ...run(repackGrown, '11 * * * *', repackJob),
    prepare: () => removeStrayScratch(config),
  };
  const copyTask: Task<{ repositoryId: number }> = {
    job: copyJob,
    // One more would wait for the same disk.
    concurrency: 1,
    work: ({ repositoryId }) => copyIntoFork(database, repositoryId),
  };
  return [copyTask, repackTask, run(collectChanged, '43 2 * * *', collectionJob)] as Task<never>[];
}
