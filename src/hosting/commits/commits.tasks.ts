import { sql } from 'kysely';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { indexCommits } from '../../git/index-commits.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import type { Isolation } from '../../workers/computation.ts';
import { type IsolatedWork, jobCaller } from '../../workers/isolated-work.ts';

const indexJob = defineHousekeepingJob('commit-index');

/** A run ends before the next one begins, which continues; in milliseconds. */
const maxRunMs = 50_000;

/** Indexes the queued commits of all repositories, some of each in turn, until none is left or `isStopped`. */
export async function indexQueuedCommits(
  database: Database,
  isStopped: () => boolean,
  isolation?: Isolation,
): Promise<void> {
  const context = {
    read: database.read,
    isolation,
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(database, work),
  };
  for (let repositories = await queuedRepositories(database); repositories.length > 0; ) {
    const unfinished: number[] = [];
    for (const id of repositories) {
      if (isStopped()) return;
      if ((await indexCommits(context, id)) > 0) unfinished.push(id);
    }
    repositories = unfinished;
  }
}

/** Skips from one repository to the next in the index; DISTINCT would read every queued commit. */
async function queuedRepositories({ read }: Database): Promise<number[]> {
  const rows = await read<{ id: number }>(sql`
    with recursive queued (id) as (
      (select repository_id from git_unindexed_commit order by repository_id limit 1)
      union all
      select (select q.repository_id from git_unindexed_commit q where q.repository_id > queued.id
        order by q.repository_id limit 1) from queued where queued.id is not null
    ) select id from queued where id is not null`);
  return rows.map(({ id }) => id);
}

interface CommitDependencies {
  database: Database;
  clock: Clock;
  isolatedWork?: IsolatedWork | undefined;
}

/** Background tasks of commits. */
export function commitTasks({ database, clock, isolatedWork }: CommitDependencies): Task<never>[] {
  return [
    {
      job: indexJob,
      concurrency: 1,
      schedule: '* * * * *',
      work: async (_data, { signal }) => {
        const end = clock().getTime() + maxRunMs;
        const isStopped = (): boolean => signal.aborted || clock().getTime() > end;
        await indexQueuedCommits(database, isStopped, isolatedWork?.for(jobCaller));
      },
    },
  ] as Task<never>[];
}
