import { PgBoss } from 'pg-boss';
import type { JobType } from './define-job.ts';
import { jobsSchema, openJobsDatabase } from './jobs-database.ts';

const secondsPerDay = 86_400;
/** A job that no worker has finished after this time is dropped: its kind is gone. */
const maxWaitSeconds = 30 * secondsPerDay;

const silentLog = { info() {}, warn() {}, error() {} };

/**
 * Makes the tables of the jobs and a queue for each kind, or brings them up to date. Call it under the start lock, before
 * anything is enqueued. `url` is that of the database. Writes nothing when everything is as it should be.
 */
export async function prepareJobs(url: string, jobs: readonly JobType<never>[]): Promise<void> {
  const database = openJobsDatabase(url, silentLog, 1);
  const boss = new PgBoss({ db: database, schema: jobsSchema, migrate: true, supervise: false, schedule: false });
  // What goes wrong in the background here goes wrong again, and is logged, in the runner.
  boss.on('error', () => {});
  try {
    await boss.start();
    await prepareQueues(boss, jobs);
  } finally {
    await boss.stop({ graceful: false });
    await database.close();
  }
}

/** Makes or updates the queues; safe when several processes do it at once. */
export async function prepareQueues(boss: PgBoss, jobs: readonly JobType<never>[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map(queue => [queue.name, queue]));
  for (const job of jobs) {
    const { maxDelaySeconds } = job.retry;
    const wanted = {
      retryLimit: job.retry.limit,
      retryDelay: job.retry.delaySeconds,
      retryBackoff: job.retry.backoff,
      expireInSeconds: job.timeoutSeconds ?? 60,
      heartbeatSeconds: job.heartbeatSeconds,
      retentionSeconds: maxWaitSeconds,
      deleteAfterSeconds: (job.retentionDays ?? 7) * secondsPerDay,
    };
    const queue = known.get(job.name);
    if (!queue) {
      await boss.createQueue(job.name, {
        ...wanted,
        ...(maxDelaySeconds === undefined ? {} : { retryDelayMax: maxDelaySeconds }),
      });
      continue;
    }
    const full = { ...wanted, retryDelayMax: maxDelaySeconds ?? null };
    const isSame = Object.entries(full).every(([name, value]) => queue[name as keyof typeof full] === value);
    if (!isSame) await boss.updateQueue(job.name, full);
  }
}
