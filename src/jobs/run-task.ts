import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { GroupedWrites } from '../db/grouped-writes.ts';
import type { Job } from './define-job.ts';
import { type FailureNote, GiveUp, noteOf, TryLater } from './job-failure.ts';
import type { JobLog } from './job-log.ts';
import { type JobsDatabase, jobsSchema, meansAway } from './jobs-database.ts';

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
  /** How many at a time in one process. */
  concurrency: number;
  /**
   * Does it. It may run more than once for one job, and now and then twice at a time: a worker that has lost the
   * database goes on while another begins. Throwing means: again later, as the job says; GiveUp: never again.
   */
  work(data: Data, attempt: Attempt): Promise<void>;
  /** Cron expression in UTC, minutes at the finest: the job, with `{}` for data, comes once per tick for all processes. */
  schedule?: string;
}

/** What became of an attempt. */
type Ending = { status: 'completed' } | { status: 'failed' | 'given up'; note: FailureNote };

interface Running<Data> {
  job: JobWithMetadata<Data>;
  abort: AbortController;
  /** Cuts it off when its time is up. */
  timer: NodeJS.Timeout;
}

/**
 * Milliseconds until a task that has just found something looks again, unless all its places were taken; after each look in
 * vain it waits four times as long, up to the interval of an idle task. So hundreds of short jobs a second take forty looks.
 */
const shortestPause = 25;

/** Jobs that are settled by one statement. */
const settledTogether = 200;

/**
 * Works on the jobs of one task. Each has a place of its own: it is settled when it ends, whatever others do, and free places
 * are filled by one statement. Of pg-boss are the statements and what becomes of the jobs of dead workers. Its own workers
 * are not used: each asks the database by itself, and those that fetch several jobs at a time settle none before all have ended.
 */
export class TaskRunner<Data> {
  readonly #boss: PgBoss;
  readonly #database: JobsDatabase;
  readonly #task: Task<Data>;
  readonly #log: JobLog;
  readonly #longestPause: number;
  readonly #running = new Set<Running<Data>>();
  readonly #settling = new Set<Promise<void>>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #completed: GroupedWrites<string>;
  #looking: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #pause: number;
  #isBehind = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;
  #drained = (): void => {};

  constructor(boss: PgBoss, database: JobsDatabase, task: Task<Data>, log: JobLog, pollSeconds: number) {
    this.#boss = boss;
    this.#database = database;
    this.#task = task;
    this.#log = log;
    this.#longestPause = pollSeconds * 1000;
    this.#pause = this.#longestPause;
    const { name, heartbeatSeconds } = task.job;
    this.#completed = new GroupedWrites({ most: settledTogether, write: ids => boss.complete(name, [...ids]) });
    this.#heartbeat = setInterval(() => void this.#touch(), heartbeatSeconds * 500);
    this.#look();
  }

  /** Takes no more jobs. Resolves when those that run have ended and are settled. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#looking;
    while (this.#running.size + this.#settling.size > 0) {
      await new Promise<void>(resolve => {
        this.#drained = resolve;
      });
    }
    clearInterval(this.#heartbeat);
  }

  /** Gives back what still runs, and tells it so. */
  async cutOff(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    const left = [...this.#running];
    this.#running.clear();
    const ids = left.map(({ job }) => job.id);
    if (ids.length > 0) await this.#tell(() => this.#boss.fail(this.#task.job.name, ids, { error: 'Stopped' }));
    for (const { abort, timer } of left) {
      clearTimeout(timer);
      abort.abort();
    }
  }

  #look(): void {
    if (this.#looking || this.#isStopping) return;
    clearTimeout(this.#timer);
    this.#looking = this.#fetch().finally(() => {
      this.#looking = undefined;
      this.#lookLater();
    });
  }

  async #fetch(): Promise<void> {
    const { job, concurrency } = this.#task;
    const free = concurrency - this.#running.size;
    this.#lookedAt = performance.now();
    let found: JobWithMetadata<Data>[] = [];
    await this.#tell(async () => {
      found = await this.#boss.fetch<Data>(job.name, { batchSize: free, includeMetadata: true });
    });
    this.#isBehind = found.length === free;
    this.#pause = found.length > 0 ? shortestPause : Math.min(this.#pause * 4, this.#longestPause);
    for (const one of found) this.#begin(one);
  }

  /** After the pause, or at once when more is known to wait and a quarter of the places is free. */
  #lookLater(): void {
    if (this.#looking || this.#isStopping) return;
    const free = this.#task.concurrency - this.#running.size;
    if (free === 0) return;
    if (this.#isBehind && free >= this.#task.concurrency / 4) {
      this.#look();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.max(0, this.#lookedAt + this.#pause - performance.now()));
  }

  #begin(job: JobWithMetadata<Data>): void {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void this.#end(running, { status: 'failed', note: { error: 'TimeUp' } });
      abort.abort();
    }, job.expireInSeconds * 1000);
    const running = { job, abort, timer };
    this.#running.add(running);
    void attempt(this.#task, job, abort.signal, this.#log).then(ending => this.#end(running, ending));
  }

  #end(running: Running<Data>, ending: Ending): void {
    // Of one that was cut off it is settled already.
    if (!this.#running.delete(running)) return;
    clearTimeout(running.timer);
    this.#pause = shortestPause;
    const settled = this.#tell(() => this.#settle(running.job.id, ending)).finally(() => {
      this.#settling.delete(settled);
      if (this.#running.size + this.#settling.size === 0) this.#drained();
    });
    this.#settling.add(settled);
    this.#lookLater();
  }

  async #settle(id: string, ending: Ending): Promise<void> {
    const { name } = this.#task.job;
    if (ending.status === 'completed') return this.#completed.add(id);
    if (ending.status === 'given up') {
      // pg-boss has no other way to say that it has failed for good.
      await this.#database.executeSql(
        `update ${jobsSchema}.job set retry_limit = retry_count where name = $1 and id = $2 and state = 'active'`,
        [name, id],
      );
    }
    await this.#boss.fail(name, id, ending.note);
  }

  async #touch(): Promise<void> {
    const ids = [...this.#running].map(({ job }) => job.id);
    if (ids.length > 0) await this.#tell(() => this.#boss.touch(this.#task.job.name, ids));
  }

  /** A statement that fails is told of, and is no end of anything: jobs whose heartbeat has stopped run again. */
  async #tell(statement: () => Promise<unknown>): Promise<void> {
    try {
      await statement();
    } catch (error) {
      // The database layer tells by itself, and once, that the database is away.
      if (this.#isStopping || meansAway(error)) return;
      this.#log.warn({ job: this.#task.job.name, ...noteOf(error) }, 'the job queue reports an error');
    }
  }
}

async function attempt<Data>(
  task: Task<Data>,
  job: JobWithMetadata<Data>,
  signal: AbortSignal,
  log: JobLog,
): Promise<Ending> {
  const { id, data, createdOn, retryCount, retryLimit } = job;
  const facts = { job: task.job.name, id, attempt: retryCount + 1 };
  const cutOff = (): void => log.warn(facts, 'a job was cut off: its time was up, or the process stops');
  signal.addEventListener('abort', cutOff);
  try {
    await task.work(data, { id, number: retryCount + 1, queuedAt: createdOn, signal });
    return { status: 'completed' };
  } catch (error) {
    const note = noteOf(error);
    if (signal.aborted) return { status: 'failed', note };
    if (error instanceof GiveUp) {
      log.warn({ ...facts, ...note }, 'a job was given up');
      return { status: 'given up', note };
    }
    const isLast = retryCount >= retryLimit;
    const level = isLast || !(error instanceof TryLater) ? 'error' : 'warn';
    log[level]({ ...facts, ...note }, isLast ? 'a job failed for the last time' : 'a job failed and is tried again');
    return { status: 'failed', note };
  } finally {
    signal.removeEventListener('abort', cutOff);
  }
}
