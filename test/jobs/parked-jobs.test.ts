import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/database.ts';
import { defineJob } from '../../src/jobs/define-job.ts';
import { enqueue } from '../../src/jobs/enqueue.ts';
import { discardParkedJob, listParkedJobs, retryParkedJob } from '../../src/jobs/parked-jobs.ts';
import type { Task } from '../../src/jobs/task.ts';
import { jobHarness, until } from './job-harness.ts';

interface Note {
  text: string;
}
const defined = <Data extends object>(name: string) =>
  defineJob<Data>({ name, retry: { limit: 9, delaySeconds: 0, backoff: false }, heartbeatSeconds: 10 });
const deadly = defined<Note>('deadly');
const innocent = defined<Note>('innocent');
const ticking = defined<Record<string, never>>('ticking');
const bench = await jobHarness(deadly, innocent, ticking);

const put = (job: typeof deadly, text: string) => bench.inTransaction(db => enqueue(db, job, { text }));
const parked = () => bench.query('select job_id as id, queue, deaths from jobs.attempt where parked_at is not null');
const stateOf = async (name: string) =>
  (await bench.rows())
    .filter(row => row.name === name)
    .map(({ state }) => state)
    .join();

/** What a process leaves that dies while the jobs of a queue run: active jobs without a heartbeat, which pg-boss returns to the queue. */
async function die(name: string): Promise<void> {
  await bench.query(`update jobs.job set state = 'retry', start_after = now() where name = $1 and state = 'active'`, [
    name,
  ]);
}

/** Runs the tasks until `check` is true, then dies: the attempts that have not ended stay recorded. */
async function runAndDie(task: Task<never>, check: () => Promise<boolean> | boolean): Promise<void> {
  const runner = await bench.start({ tasks: [task], drainSeconds: 0 });
  await until('running', check);
  const before = await bench.query('select * from jobs.attempt');
  await runner.stop();
  // `stop` reports the attempts as failed, which a dead process cannot.
  await bench.query(`update jobs.job set state = 'active' where name = $1 and state in ('retry', 'failed')`, [
    task.job.name,
  ]);
  for (const { job_id, queue, deaths, parked_at } of before) {
    await bench.query(
      `insert into jobs.attempt (job_id, queue, deaths, parked_at) values ($1, $2, $3, $4) on conflict do nothing`,
      [job_id, queue, deaths, parked_at],
    );
  }
  await die(task.job.name);
}

test('a job that dies with its process three times is parked, and runs again only when an operator says so', async () => {
  let runs = 0;
  const hanging: Task<Note> = {
    job: deadly,
    concurrency: 5,
    work: (_data, { signal }) => {
      runs++;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  };
  await put(deadly, 'bomb');
  for (const round of [1, 2, 3]) await runAndDie(hanging as Task<never>, () => runs === round);
  await bench.start({ tasks: [hanging as Task<never>] });
  const [found] = await until('parked', async () => {
    const rows = await parked();
    return rows.length > 0 ? rows : undefined;
  });
  await until('failed', async () => (await stateOf('deadly')) === 'failed');
  expect(found).toMatchObject({ queue: 'deadly', deaths: 3 });
  expect(runs).toBe(3);
  expect(bench.log.filter(({ message }) => message === 'a job is parked')).toHaveLength(1);

  const database = await openDatabase({ url: bench.url, poolSize: 2, statementTimeoutMs: 10_000 });
  try {
    expect(await listParkedJobs(database.read)).toMatchObject([
      { id: found.id, queue: 'deadly', deaths: 3, data: { text: 'bomb' } },
    ]);
    expect(await bench.inTransaction(db => retryParkedJob(db, found.id))).toBe(true);
    expect(await bench.inTransaction(db => retryParkedJob(db, found.id))).toBe(false);
    await until('runs again', () => runs === 4);
    expect(await parked()).toEqual([]);
  } finally {
    await database.close();
  }
});

test('of jobs that died together each runs without the others, and those that end are forgotten', async () => {
  const texts = ['a', 'b', 'c'];
  for (const text of texts) await put(innocent, text);
  let isDeadly = true;
  let [running, most, ended] = [0, 0, 0];
  const task: Task<Note> = {
    job: innocent,
    concurrency: 5,
    async work(_data, { signal }) {
      running++;
      most = Math.max(most, running);
      if (isDeadly)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      await new Promise(setImmediate);
      running--;
      ended++;
    },
  };
  await runAndDie(task as Task<never>, () => running === 3);
  [isDeadly, running, most] = [false, 0, 0];
  await bench.start({ tasks: [task as Task<never>] });
  await until('all ended', () => ended === 3);
  expect(most).toBe(1);
  await until(
    'forgotten',
    async () => (await bench.query('select from jobs.attempt where queue = $1', ['innocent'])).length === 0,
  );
});

test('while a job of a schedule is parked its later runs are left out, until it is discarded', async () => {
  let runs = 0;
  const task: Task<Record<string, never>> = {
    job: ticking,
    concurrency: 1,
    schedule: '0 0 1 1 *',
    work: async () => void runs++,
  };
  const id = '00000000-0000-4000-8000-000000000001';
  await bench.query(`insert into jobs.attempt (job_id, queue, deaths, parked_at) values ($1, 'ticking', 3, now())`, [
    id,
  ]);
  await bench.inTransaction(db => enqueue(db, ticking, {}));
  await bench.start({ tasks: [task as Task<never>] });
  await until('left out', async () => (await stateOf('ticking')) === 'failed');
  expect(runs).toBe(0);
  expect(await bench.inTransaction(db => discardParkedJob(db, id))).toBe(true);
  await bench.inTransaction(db => enqueue(db, ticking, {}));
  await until('runs', () => runs === 1);
  await bench.inTransaction(db => sql`delete from jobs.job where name = 'ticking'`.execute(db));
});
