import { setTimeout as delay } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { isConnectionLost } from '../db/sql-state.ts';
import type { JobLog } from './job-log.ts';
import { jobsSchema, openJobsDatabase } from './jobs-database.ts';
import { prepareQueues } from './prepare-jobs.ts';
import { type Task, TaskRunner } from './run-task.ts';

export interface JobsOptions {
  /** postgres://name:secret@host:port/database */
  url: string;
  tasks: readonly Task<never>[];
  logger: JobLog;
  /** How often an idle task looks for jobs; 1 when absent. */
  pollSeconds?: number;
  /** How long `stop` lets running work go on; 10 when absent. */
  drainSeconds?: number;
}

/** The workers of one process. */
export interface JobRunner {
  /** Takes no more jobs, lets running ones finish for `drainSeconds`, then cuts them off: they run again elsewhere. */
  stop(): Promise<void>;
}

/** Fetches, heartbeats and results of all tasks share these; each takes about a millisecond. */
const poolSize = 3;

/** Works on jobs until stopped. The database must be prepared: see `prepareJobs`. Throws when it is not, or is away. */
export async function startJobs(options: JobsOptions): Promise<JobRunner> {
  const { url, tasks, logger, pollSeconds = 1, drainSeconds = 10 } = options;
  const database = openJobsDatabase(url, logger, poolSize);
  const boss = new PgBoss({
    db: database,
    schema: jobsSchema,
    // Nothing is left to migrate here, see below. Without it pg-boss would not build, in the background, the indexes
    // that its migrations leave for later.
    migrate: true,
    schedule: tasks.some(task => task.schedule !== undefined),
    // A killed worker is noticed after its heartbeat and at most these ten seconds. Of several processes one does it:
    // whose turn it is, the 9 decide, which must stay below the 10 or every other turn would be skipped.
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 9,
    // Deletes what has been kept long enough.
    maintenanceIntervalSeconds: 3600,
    // For jobs that wait for other jobs, which we do not have.
    flowIntervalSeconds: 3600,
  });
  let isStopping = false;
  boss.on('error', error => {
    // The database layer tells by itself, and once, that the database is away.
    if (!isStopping && !isConnectionLost(error))
      logger.warn({ reason: error.message }, 'the job queue reports an error');
  });
  boss.on('warning', ({ message }) => logger.warn({ reason: message }, 'the job queue gives a warning'));
  let runners: TaskRunner<never>[] = [];
  const close = async (): Promise<void> => {
    isStopping = true;
    database.stopRetrying();
    // Jobs that cannot be handed back, because the database is away, come back when their heartbeat has stopped.
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
    // Before the start, which looks at once for what is due and then not again for half a minute.
    await prepareSchedules(boss, tasks);
    await boss.start();
    runners = tasks.map(task => new TaskRunner(boss, database, task, logger, pollSeconds));
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

/** A schedule is a row, read by whichever process is first; a task that has lost its schedule leaves none behind. */
async function prepareSchedules(boss: PgBoss, tasks: readonly Task<never>[]): Promise<void> {
  const known = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]));
  for (const { job, schedule } of tasks) {
    if (known.get(job.name) === schedule) continue;
    if (schedule === undefined) await boss.unschedule(job.name);
    else await boss.schedule(job.name, schedule, {}, { tz: 'UTC' });
  }
}
