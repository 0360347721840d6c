import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { isConnectionLost } from '../db/sql-state.ts';
import { WriteBatcher } from '../db/write-batcher.ts';
import type { JobType } from './define-job.ts';
import { type FailureSummary, PermanentError, summarizeFailure, TransientError } from './job-errors.ts';
import type { JobLog } from './job-log.ts';
import { traceJob } from './job-trace.ts';
import { type JobsDatabase, jobsSchema } from './jobs-database.ts';

/** One attempt to run a job, as its task sees it. */
export interface Attempt {
  /** Id of the job, the same in every attempt, so that a receiver can recognise a repetition. */
  id: string;
  /** 1 for the first. */
  number: number;
  queuedAt: Date;
  /** Aborted on timeout and when the process stops; the result of the attempt is then ignored. */
  signal: AbortSignal;
}

/** The implementation of one job type. */
export interface Task<Data> {
  job: JobType<Data>;
  /** Jobs that run at the same time in one process. */
  concurrency: number;
  /**
   * Runs the job. It may run more than once for one job, and occasionally twice at the same time: a worker that has lost the
   * database continues while another one starts. A thrown error causes a retry as the job type says; PermanentError does not.
   */
  work(data: Data, attempt: Attempt): Promise<void>;
  /** Runs in each process before it fetches jobs. A rejection is logged, and the start goes on. */
  prepare?(): Promise<void>;
  /** Cron expression in UTC, at minute resolution. Each tick adds one job, with `{}` as data, for all processes together. */
  schedule?: string;
}

/** The result of an attempt. */
type AttemptResult = { status: 'completed' } | { status: 'failed' | 'failed permanently'; note: FailureSummary };

interface RunningJob<Data> {
  job: JobWithMetadata<Data>;
  abort: AbortController;
  /** Aborts the attempt on timeout. */
  timer: NodeJS.Timeout;
}

/**
 * Poll interval of a task that has just found jobs and has free slots. Each poll that finds none multiplies it by four, until the task is
 * idle and waits for `wake`. Hundreds of short jobs a second thus take forty polls.
 */
const minPollMs = 25;

/** Jobs that one statement completes. */
const maxCompletionsPerStatement = 200;

/**
 * Runs the jobs of one task, each in its own slot: a job is reported when it ends, independently of others, and one statement
 * fetches jobs for all free slots. pg-boss supplies the statements and recovers the jobs of dead workers. Rejected: its own
 * workers, of which each polls the database by itself, and which report a fetched batch only when all its jobs have ended.
 */
export class TaskRunner<Data> {
  readonly #boss: PgBoss;
  readonly #database: JobsDatabase;
  readonly #task: Task<Data>;
  readonly #log: JobLog;
  readonly #maxPollMs: number;
  readonly #running = new Set<RunningJob<Data>>();
  readonly #reports = new Set<Promise<void>>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #completed: WriteBatcher<string>;
  #polling: Promise<void> | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  #pollMs: number;
  #hasBacklog = false;
  #isIdle = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;
  #resolveDrain = (): void => {};

  constructor(boss: PgBoss, database: JobsDatabase, task: Task<Data>, log: JobLog, pollSeconds: number) {
    this.#boss = boss;
    this.#database = database;
    this.#task = task;
    this.#log = log;
    this.#maxPollMs = pollSeconds * 1000;
    this.#pollMs = this.#maxPollMs;
    const { name, heartbeatSeconds } = task.job;
    this.#completed = new WriteBatcher({
      maxItems: maxCompletionsPerStatement,
      write: ids => boss.complete(name, [...ids]),
    });
    this.#heartbeat = setInterval(() => void this.#sendHeartbeat(), heartbeatSeconds * 500);
    this.#poll();
  }

  /** Says that a job is due. An idle task learns it in no other way. */
  wake(): void {
    if (this.#isIdle) this.#poll();
  }

  /** Stops fetching. Resolves when the running jobs have ended and are reported. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#polling;
    while (this.#running.size + this.#reports.size > 0) {
      await new Promise<void>(resolve => {
        this.#resolveDrain = resolve;
      });
    }
    clearInterval(this.#heartbeat);
  }

  /** Fails the running jobs, so that they run elsewhere, and aborts their signals. */
  async abort(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    const left = [...this.#running];
    this.#running.clear();
    const ids = left.map(({ job }) => job.id);
    if (ids.length > 0) await this.#logErrorsOf(() => this.#boss.fail(this.#task.job.name, ids, { error: 'Stopped' }));
    for (const { abort, timer } of left) {
      clearTimeout(timer);
      abort.abort();
    }
  }

  #poll(): void {
    if (this.#polling || this.#isStopping) return;
    clearTimeout(this.#timer);
    this.#isIdle = false;
    this.#polling = this.#fetch().finally(() => {
      this.#polling = undefined;
      this.#schedulePoll();
    });
  }

  async #fetch(): Promise<void> {
    const { job, concurrency } = this.#task;
    const free = concurrency - this.#running.size;
    this.#polledAt = performance.now();
    let found: JobWithMetadata<Data>[] = [];
    await this.#logErrorsOf(async () => {
      found = await this.#boss.fetch<Data>(job.name, { batchSize: free, includeMetadata: true });
    });
    this.#hasBacklog = found.length === free;
    this.#pollMs = found.length > 0 ? minPollMs : Math.min(this.#pollMs * 4, this.#maxPollMs);
    for (const one of found) this.#startJob(one);
  }

  /** Polls after the interval, at once when there is a backlog and a quarter of the slots is free, and not at all when the task is idle. */
  #schedulePoll(): void {
    if (this.#polling || this.#isStopping) return;
    const free = this.#task.concurrency - this.#running.size;
    if (free === 0) return;
    if (this.#hasBacklog && free >= this.#task.concurrency / 4) {
      this.#poll();
      return;
    }
    clearTimeout(this.#timer);
    this.#isIdle = this.#pollMs >= this.#maxPollMs;
    if (this.#isIdle) return;
    this.#timer = setTimeout(() => this.#poll(), Math.max(0, this.#polledAt + this.#pollMs - performance.now()));
  }

  #startJob(job: JobWithMetadata<Data>): void {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void this.#finishJob(running, { status: 'failed', note: { error: 'TimeUp' } });
      abort.abort();
    }, job.expireInSeconds * 1000);
    const running = { job, abort, timer };
    this.#running.add(running);
    void traceJob(this.#task.job, job, traced => runAttempt(this.#task, traced, abort.signal, this.#log)).then(ending =>
      this.#finishJob(running, ending),
    );
  }

  #finishJob(running: RunningJob<Data>, result: AttemptResult): void {
    // An aborted job is already reported.
    if (!this.#running.delete(running)) return;
    clearTimeout(running.timer);
    this.#pollMs = minPollMs;
    const settled = this.#logErrorsOf(() => this.#report(running.job.id, result)).finally(() => {
      this.#reports.delete(settled);
      if (this.#running.size + this.#reports.size === 0) this.#resolveDrain();
    });
    this.#reports.add(settled);
    this.#schedulePoll();
  }

  async #report(id: string, result: AttemptResult): Promise<void> {
    const { name } = this.#task.job;
    if (result.status === 'completed') return this.#completed.add(id);
    if (result.status === 'failed permanently') {
      // pg-boss has no other way to fail a job permanently.
      await this.#database.executeSql(
        `update ${jobsSchema}.job set retry_limit = retry_count where name = $1 and id = $2 and state = 'active'`,
        [name, id],
      );
    }
    await this.#boss.fail(name, id, result.note);
  }

  async #sendHeartbeat(): Promise<void> {
    const ids = [...this.#running].map(({ job }) => job.id);
    if (ids.length > 0) await this.#logErrorsOf(() => this.#boss.touch(this.#task.job.name, ids));
  }

  /** Logs a failed statement. It needs no other handling: jobs without a heartbeat run again. */
  async #logErrorsOf(statement: () => Promise<unknown>): Promise<void> {
    try {
      await statement();
    } catch (error) {
      // The jobs database itself logs once that it is unreachable.
      if (this.#isStopping || isConnectionLost(error)) return;
      this.#log.warn({ job: this.#task.job.name, ...summarizeFailure(error) }, 'the job queue reports an error');
    }
  }
}

async function runAttempt<Data>(
  task: Task<Data>,
  job: JobWithMetadata<Data>,
  signal: AbortSignal,
  log: JobLog,
): Promise<AttemptResult> {
  const { id, data, createdOn, retryCount, retryLimit } = job;
  const fields = { job: task.job.name, id, attempt: retryCount + 1 };
  const logAbort = (): void => log.warn(fields, 'a job was cut off: its time was up, or the process stops');
  signal.addEventListener('abort', logAbort);
  try {
    await task.work(data, { id, number: retryCount + 1, queuedAt: createdOn, signal });
    return { status: 'completed' };
  } catch (error) {
    const note = summarizeFailure(error);
    if (signal.aborted) return { status: 'failed', note };
    if (error instanceof PermanentError) {
      log.warn({ ...fields, ...note }, 'a job was given up');
      return { status: 'failed permanently', note };
    }
    const isLast = retryCount >= retryLimit;
    // An unreachable database is no defect of this program either.
    const isTransient = error instanceof TransientError || isConnectionLost(error);
    const level = isLast || !isTransient ? 'error' : 'warn';
    log[level]({ ...fields, ...note }, isLast ? 'a job failed for the last time' : 'a job failed and is tried again');
    return { status: 'failed', note };
  } finally {
    signal.removeEventListener('abort', logAbort);
  }
}
