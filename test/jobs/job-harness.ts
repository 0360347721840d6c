import { afterAll, afterEach } from '@jest/globals';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import type { JobType } from '../../src/jobs/define-job.ts';
import { prepareJobs } from '../../src/jobs/prepare-jobs.ts';
import { type JobRunner, type JobsOptions, startJobs } from '../../src/jobs/start-jobs.ts';
import { testDatabase } from '../harness/gateway.ts';

/** The columns of a row of `jobs.job` that tests read. */
interface JobRow {
  id: string;
  name: string;
  state: 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed';
  retry_count: number;
  start_after: Date;
  data: unknown;
  output: unknown;
}

export interface JobHarness {
  url: string;
  /** Runs a statement outside of any transaction. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the rows itself.
  query(text: string, values?: unknown[]): Promise<any[]>;
  /** Runs `work` in a transaction and commits, or rolls back if it throws. */
  inTransaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
  rows(): Promise<JobRow[]>;
  /** Starts workers that are stopped after the test. */
  start(options: Pick<JobsOptions, 'tasks'> & Partial<JobsOptions>): Promise<JobRunner>;
  /** Writes to `log`. */
  logger: JobsOptions['logger'];
  /** Emptied after each test. */
  log: LogLine[];
}

interface LogLine {
  level: 'info' | 'warn' | 'error';
  facts: Record<string, unknown>;
  message: string;
}

/** A database for the test file with the tables of jobs, and helpers. */
export async function jobHarness(...jobs: JobType<never>[]): Promise<JobHarness> {
  const closing: (() => Promise<void>)[] = [];
  // Added before that of `testDatabase`, which drops the database: the hooks run in the order of their registration.
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const url = await testDatabase('empty');
  await prepareJobs(url, jobs);
  const database = await openDatabase({ url, poolSize: 5, statementTimeoutMs: 10_000 });
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const query: JobHarness['query'] = async (text, values) => (await pool.query(text, values)).rows;
  closing.push(() => pool.end(), database.close);
  const log: LogLine[] = [];
  const running: JobRunner[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map(runner => runner.stop()));
    log.length = 0;
  });
  const note = (level: LogLine['level']) => (facts: object, message: string) => {
    log.push({ level, facts: facts as Record<string, unknown>, message });
  };
  const logger = { info: note('info'), warn: note('warn'), error: note('error') };
  return {
    url,
    log,
    logger,
    inTransaction: work => database.orm.em.fork().transactional(em => work(em.getKysely())),
    query,
    rows: () => query("select * from jobs.job where name not like '\\_\\_pgboss%' order by created_on"),
    async start(options) {
      const runner = await startJobs({ url, logger, pollSeconds: 0.1, drainSeconds: 5, ...options });
      running.push(runner);
      return runner;
    },
  };
}

/** Polls until `check` returns a truthy value, and returns it. Throws after `seconds`: jobs of a busy machine have taken 20. */
export async function until<T>(what: string, check: () => T | Promise<T>, seconds = 45): Promise<NonNullable<T>> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Not within ${seconds} s: ${what}.`);
    await new Promise(settle => setTimeout(settle, 25));
  }
}
