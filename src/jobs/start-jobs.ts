import { setTimeout as delay } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { isConnectionLost } from '../db/sql-state.ts';
import { Semaphore } from '../workers/semaphore.ts';
import { summarizeFailure } from './job-errors.ts';
import type { JobLog } from './job-log.ts';
import { jobsSchema, openJobsDatabase } from './jobs-database.ts';
import { prepareQueues } from './prepare-jobs.ts';
import { dueQueues, overdueQueues, QueueWatch } from './queue-watch.ts';
import { TaskRunner } from './run-task.ts';
import { recordSchedules } from './schedules.ts';
import type { Task } from './task.ts';

export interface JobsOptions {
  /** postgres://name:secret@host:port/database */
  url: string;
  tasks: readonly Task<never>[];
  logger: JobLog;
  /** Interval in which the queues of idle tasks are looked at; 1 when absent. */
  pollSeconds?: number;
  /** How long `stop` waits for running jobs; 10 when absent. */
  drainSeconds?: number;
}

/** The job runner of one process. */
export interface JobRunner {
  /** Stops fetching, waits `drainSeconds` for running jobs, then aborts them: they run again elsewhere. */
  stop(): Promise<void>;
}

/** A killed process is noticed after the heartbeat interval of its job and at most this time. */
const overdueIntervalSeconds = 10;

/** Connections that the fetches, heartbeats and results of all tasks share; each statement takes about a millisecond. */
const poolSize = 3;

/** Runs jobs until stopped. @throws Error when the database is unreachable, or `prepareJobs` has not run */
export async function startJobs(options: JobsOptions): Promise<JobRunner> {
  const { url, tasks, logger, pollSeconds = 1, drainSeconds = 10 } = options;
  const database = openJobsDatabase(url, logger, poolSize);
  const boss = new PgBoss({
    db: database,
    schema: jobsSchema,
    // Nothing is left to migrate, but without it pg-boss would not build the indexes that its migrations defer to the background.
    migrate: true,
    schedule: tasks.some(task => task.schedule !== undefined),
    // Each look writes to the row of every queue. It counts jobs and deletes those whose retention has ended; a `QueueWatch` looks for
    // killed processes, and has one queue supervised, of several processes by one of them.
    superviseIntervalSeconds: 3600,
    monitorIntervalSeconds: overdueIntervalSeconds - 1,
    // Below that of the supervision, or every other run would be skipped.
    maintenanceIntervalSeconds: 3000,
    // For the indexes of a migration of pg-boss.
    bamIntervalSeconds: 600,
    // Each look writes a row. The most that pg-boss allows: a tick has a minute in which it is noticed.
    cronMonitorIntervalSeconds: 45,
    // For jobs that depend on other jobs, which are not used.
    flowIntervalSeconds: 3600,
  });
  let isStopping = false;
  const reportError = (error: unknown): void => {
    // The jobs database itself logs once that it is unreachable.
    if (isStopping || isConnectionLost(error)) return;
    logger.warn({ reason: reasonOf(error) }, 'the job queue reports an error');
  };
  boss.on('error', reportError);
  boss.on('warning', ({ message }) => logger.warn({ reason: message }, 'the job queue gives a warning'));
  let runners: TaskRunner<never>[] = [];
  let watches: QueueWatch[] = [];
  const close = async (): Promise<void> => {
    isStopping = true;
    database.stopRetrying();
    for (const watch of watches) watch.stop();
    // Jobs that cannot be returned because the database is unreachable run again when their heartbeat is overdue.
    await Promise.all(runners.map(runner => runner.abort()));
    await boss.stop({ graceful: false }).catch(() => {});
    await database.close();
  };
  try {
    if (!(await boss.isInstalled())) throw new Error('The database has no tables for jobs: prepareJobs comes first.');
    await prepareQueues(
      boss,
      tasks.map(task => task.job),
    );
    // Before the start, which checks the schedules at once and then only after half a minute.
    await prepareSchedules(boss, tasks);
    await recordSchedules(
      database,
      tasks.flatMap(({ job: { name }, schedule }) => (schedule === undefined ? [] : [{ name, schedule }])),
    );
    await boss.start();
    await Promise.all(tasks.map(task => prepareTask(task, logger)));
    const suspects = new Semaphore(1);
    runners = tasks.map(task => new TaskRunner({ boss, database, suspects }, task, logger, pollSeconds));
    const byName = new Map(tasks.map(({ job }, at) => [job.name, runners[at]]));
    const common = { database, onError: reportError };
    watches = [
      new QueueWatch({
        ...common,
        statement: dueQueues,
        values: [[...byName.keys()]],
        intervalMs: pollSeconds * 1000,
        onQueue: name => byName.get(name)?.wake(),
      }),
      new QueueWatch({
        ...common,
        statement: overdueQueues,
        intervalMs: overdueIntervalSeconds * 1000,
        onQueue: name => boss.supervise(name),
      }),
    ];
    const stop = async (): Promise<void> => {
      const done = new AbortController();
      const drained = Promise.all(runners.map(runner => runner.drain())).finally(() => done.abort());
      await Promise.race([drained, delay(drainSeconds * 1000, undefined, { signal: done.signal }).catch(() => {})]);
      await close();
    };
    let stopping: Promise<void> | undefined;
    return {
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** pg-boss reports errors, and objects with their message. */
function reasonOf(error: unknown): string {
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { message?: unknown };
  return typeof message === 'string' ? message : typeof error === 'object' ? JSON.stringify(error) : String(error);
}

async function prepareTask({ job, prepare }: Task<never>, log: JobLog): Promise<void> {
  try {
    await prepare?.();
  } catch (error) {
    log.warn({ job: job.name, ...summarizeFailure(error) }, 'a task could not be prepared');
  }
}

/** Writes the schedules of the tasks, and removes those of tasks that no longer have one. */
async function prepareSchedules(boss: PgBoss, tasks: readonly Task<never>[]): Promise<void> {
  const known = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]));
  for (const { job, schedule } of tasks) {
    if (known.get(job.name) === schedule) continue;
    if (schedule === undefined) await boss.unschedule(job.name);
    else await boss.schedule(job.name, schedule, {}, { tz: 'UTC' });
  }
}
