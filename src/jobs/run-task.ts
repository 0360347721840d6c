import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { isConnectionLost } from '../db/sql-state.ts';
import { WriteBatcher } from '../db/write-batcher.ts';
import type { Semaphore } from '../workers/semaphore.ts';
import { JobAttempts, type JobHistory } from './job-attempts.ts';
import { summarizeFailure } from './job-errors.ts';
import type { JobLog } from './job-log.ts';
import { traceJob } from './job-trace.ts';
import { type JobsDatabase, jobsSchema } from './jobs-database.ts';
import { type AttemptResult, runAttempt } from './run-attempt.ts';
import { recordSuccess } from './schedules.ts';
import type { Task } from './task.ts';

interface RunningJob<Data> {
  job: JobWithMetadata<Data>;
  abort: AbortController;
  /** Aborts the attempt on timeout; undefined while the job waits for its turn. */
  timer: NodeJS.Timeout | undefined;
}

/** What the runners of a process share. */
interface JobServices {
  boss: PgBoss;
  database: JobsDatabase;
  /**
   * One slot for jobs that have died before. Of many jobs that die with one process a single one is the cause: each runs without the
   * others, so that those that are not at fault end and only the cause comes to `maxDeaths`.
   */
  suspects: Semaphore;
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
  readonly #attempts: JobAttempts;
  readonly #suspects: Semaphore;
  readonly #completed: WriteBatcher<string>;
  #polling: Promise<void> | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  #pollMs: number;
  #hasBacklog = false;
  #isIdle = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;
  #resolveDrain = (): void => {};

  constructor({ boss, database, suspects }: JobServices, task: Task<Data>, log: JobLog, pollSeconds: number) {
    this.#boss = boss;
    this.#database = database;
    this.#suspects = suspects;
    this.#attempts = new JobAttempts(database);
    this.#task = task;
    this.#log = log;
    this.#maxPollMs = pollSeconds * 1000;
    this.#pollMs = this.#maxPollMs;
    const { name, heartbeatSeconds } = task.job;
    this.#completed = new WriteBatcher({
      maxItems: maxCompletionsPerStatement,
      write: ids => Promise.all([boss.complete(name, [...ids]), this.#attempts.end(ids)]),
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
    if (ids.length > 0) {
      await this.#logErrorsOf(() => this.#boss.fail(this.#task.job.name, ids, { error: 'Stopped', unconfirmed: true }));
      await this.#logErrorsOf(() => this.#attempts.end(ids));
    }
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
    if (found.length === 0) return;
    const histories = await this.#begin(found.map(({ id }) => id));
    for (const one of found) {
      const history = histories.get(one.id);
      if (history === undefined || history.isParked) this.#park(one, history);
      else this.#startJob(one, history);
    }
  }

  /** Without a record of their attempts no job runs: they are fetched again when their heartbeat is overdue. */
  async #begin(ids: readonly string[]): Promise<Map<string, JobHistory>> {
    const { job, schedule } = this.#task;
    let histories = new Map<string, JobHistory>();
    await this.#logErrorsOf(async () => {
      // The next tick of a schedule is another job that would do the same.
      const isParked = schedule !== undefined && (await this.#attempts.hasParked(job.name));
      histories = isParked
        ? new Map(ids.map(id => [id, { deaths: 0, isParked }]))
        : await this.#attempts.begin(job.name, ids);
    });
    return histories;
  }

  /** Fails a job without running it. One without a history stays active, since its attempt could not be recorded. */
  #park({ id }: JobWithMetadata<Data>, history: JobHistory | undefined): void {
    if (!history) return;
    const note = { error: 'Parked', message: `${history.deaths} attempts ended with their process.` };
    if (history.deaths > 0) this.#log.error({ job: this.#task.job.name, id, ...note }, 'a job is parked');
    void this.#logErrorsOf(() => this.#report(id, { status: 'failed permanently', note }));
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

  #startJob(job: JobWithMetadata<Data>, { deaths }: JobHistory): void {
    const running: RunningJob<Data> = { job, abort: new AbortController(), timer: undefined };
    this.#running.add(running);
    void (deaths > 0 ? this.#suspects.run(() => this.#attempt(running, deaths)) : this.#attempt(running, deaths));
  }

  async #attempt(running: RunningJob<Data>, deaths: number): Promise<void> {
    const { job, abort } = running;
    // The runner was stopped while the job waited.
    if (!this.#running.has(running)) return;
    running.timer = setTimeout(() => {
      this.#finishJob(running, { status: 'failed', note: { error: 'TimeUp', unconfirmed: true } });
      abort.abort();
    }, job.expireInSeconds * 1000);
    const ending = await traceJob(this.#task.job, job, traced =>
      runAttempt(this.#task, traced, abort.signal, this.#log, deaths),
    );
    this.#finishJob(running, ending);
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
    if (result.status === 'completed') {
      await this.#completed.add(id);
      if (this.#task.schedule !== undefined) await recordSuccess(this.#database, name);
      return;
    }
    if (result.status === 'failed permanently') {
      // pg-boss has no other way to fail a job permanently.
      await this.#database.executeSql(
        `update ${jobsSchema}.job set retry_limit = retry_count where name = $1 and id = $2 and state = 'active'`,
        [name, id],
      );
    }
    await Promise.all([this.#boss.fail(name, id, result.note), this.#attempts.end([id])]);
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
