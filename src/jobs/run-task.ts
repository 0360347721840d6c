import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Job } from './define-job.ts';
import { GiveUp, noteOf, TryLater } from './job-failure.ts';
import type { JobLog } from './job-log.ts';

/** What a task may know of the job it works on. */
export interface Attempt {
  /** Of the job; the same in every attempt, so what is sent twice can be recognised by it. */
  id: string;
  /** 1 for the first. */
  number: number;
  queuedAt: Date;
  /** Aborted when the time is up or the process stops; nothing that the task does after that counts. */
  signal: AbortSignal;
}

/** What does the work of one kind of job. */
export interface Task<Data> {
  job: Job<Data>;
  /** How many at a time in one process; with `batch` so many batches. */
  concurrency: number;
  /**
   * How many are fetched at once, and settled at once when all of them are done; 1 when absent. For short work that comes by
   * the hundred: fetching and settling one job takes two statements, and so does a batch.
   */
  batch?: number;
  /**
   * Does it. It may run more than once for one job, and now and then twice at a time: a worker that has lost the
   * database goes on while another begins. Throwing means: again later, as the job says; GiveUp: never again.
   */
  work(data: Data, attempt: Attempt): Promise<void>;
  /** Cron expression in UTC, minutes at the finest: the job, with `{}` for data, comes once per tick for all processes. */
  schedule?: string;
}

/** A worker only looks by itself as often as this if nobody wakes it, which does not happen. */
const unwokenSeconds = 60;

/**
 * Works on the jobs of one task until `boss` stops. Returns what stops looking for more.
 *
 * However many jobs may run at a time, an idle task asks the database once in `pollSeconds`: one idle worker is woken
 * for it. A worker that finds a job wakes the next and, when done, looks again at once, so a backlog is worked off at
 * full speed. pg-boss left alone would ask once per worker and interval, and take one job per worker and interval.
 */
export async function runTask<Data>(
  boss: PgBoss,
  task: Task<Data>,
  log: JobLog,
  pollSeconds: number,
): Promise<() => void> {
  const workers: { id: string; busy: boolean }[] = [];
  const wakeOne = (): void => {
    const idle = workers.find(worker => !worker.busy);
    if (idle) boss.notifyWorker(idle.id);
  };
  for (let count = 0; count < task.concurrency; count++) {
    const worker = { id: '', busy: false };
    const options = {
      includeMetadata: true,
      perJobResults: true,
      pollingIntervalSeconds: unwokenSeconds,
      batchSize: task.batch ?? 1,
    } as const;
    worker.id = await boss.work<Data, unknown, typeof options>(task.job.name, options, async jobs => {
      worker.busy = true;
      wakeOne();
      try {
        return await Promise.all(jobs.map(job => attempt(task, job, log)));
      } finally {
        worker.busy = false;
        boss.notifyWorker(worker.id);
      }
    });
    workers.push(worker);
  }
  const clock = setInterval(wakeOne, pollSeconds * 1000);
  return () => clearInterval(clock);
}

async function attempt<Data>(task: Task<Data>, job: JobWithMetadata<Data>, log: JobLog): Promise<JobResult> {
  const { id, data, signal, createdOn, retryCount, retryLimit } = job;
  const facts = { job: task.job.name, id, attempt: retryCount + 1 };
  const cutOff = (): void => log.warn(facts, 'a job was cut off: its time was up, or the process stops');
  signal.addEventListener('abort', cutOff);
  try {
    await task.work(data, { id, number: retryCount + 1, queuedAt: createdOn, signal });
    return { id, status: 'completed' };
  } catch (error) {
    const note = noteOf(error);
    // pg-boss has settled a job that was cut off; it does not look at this answer.
    if (signal.aborted) return { id, status: 'failed', output: note };
    if (error instanceof GiveUp) {
      log.warn({ ...facts, ...note }, 'a job was given up');
      // «deadletter» is how pg-boss spells «failed, and not again»; there is no such letter box.
      return { id, status: 'deadletter', output: note };
    }
    const isLast = retryCount >= retryLimit;
    const level = isLast || !(error instanceof TryLater) ? 'error' : 'warn';
    log[level]({ ...facts, ...note }, isLast ? 'a job failed for the last time' : 'a job failed and is tried again');
    return { id, status: 'failed', output: note };
  } finally {
    signal.removeEventListener('abort', cutOff);
  }
}
