import { PgBoss } from 'pg-boss';
import type { JobType } from './define-job.ts';
import { attemptTable } from './job-attempts.ts';
import { jobsSchema, openJobsDatabase } from './jobs-database.ts';
import { scheduleTable } from './schedules.ts';

const secondsPerDay = 86_400;
/** A job that no worker has completed after this time is deleted: its type no longer exists. */
const maxWaitSeconds = 30 * secondsPerDay;

const silentLog = { info() {}, warn() {}, error() {} };

/**
 * Creates or updates the tables of pg-boss and a queue for each job type. Call it under the start lock, before anything is
 * enqueued. Writes nothing when all is up to date.
 */
export async function prepareJobs(url: string, jobs: readonly JobType<never>[]): Promise<void> {
  const database = openJobsDatabase(url, silentLog, 1);
  const boss = new PgBoss({ db: database, schema: jobsSchema, migrate: true, supervise: false, schedule: false });
  // A background error here occurs again in the runner, which logs it.
  boss.on('error', () => {});
  try {
    await boss.start();
    await database.executeSql(attemptTable);
    await database.executeSql(scheduleTable);
    await prepareQueues(boss, jobs);
  } finally {
    await boss.stop({ graceful: false });
    await database.close();
  }
}

/** Creates or updates the queues. Several processes may do it at the same time. */
export async function prepareQueues(boss: PgBoss, jobs: readonly JobType<never>[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map(queue => [queue.name, queue]));
  for (const job of jobs) {
    const { maxDelaySeconds } = job.retry;
    const options = {
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
        ...options,
        ...(maxDelaySeconds === undefined ? {} : { retryDelayMax: maxDelaySeconds }),
      });
      continue;
    }
    const desired = { ...options, retryDelayMax: maxDelaySeconds ?? null };
    const isSame = Object.entries(desired).every(([name, value]) => queue[name as keyof typeof desired] === value);
    if (!isSame) await boss.updateQueue(job.name, desired);
  }
}
