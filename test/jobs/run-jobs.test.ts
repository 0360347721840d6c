import { describe, expect, test } from '@jest/globals';
import { defineJob } from '../../src/jobs/define-job.ts';
import { enqueue } from '../../src/jobs/enqueue.ts';
import { PermanentError, TransientError } from '../../src/jobs/job-errors.ts';
import { openJobsDatabase } from '../../src/jobs/jobs-database.ts';
import type { Attempt, Task } from '../../src/jobs/task.ts';
import { databaseProxy } from './database-proxy.ts';
import { jobHarness, until } from './job-harness.ts';

interface Note {
  text: string;
}
const job = (name: string, more: { limit?: number; timeoutSeconds?: number } = {}) =>
  defineJob<Note>({
    name,
    retry: { limit: more.limit ?? 3, delaySeconds: 0, backoff: false },
    heartbeatSeconds: 10,
    ...(more.timeoutSeconds === undefined ? {} : { timeoutSeconds: more.timeoutSeconds }),
  });

const kinds = {
  flaky: job('flaky'),
  hopeless: job('hopeless'),
  defective: job('defective', { limit: 1 }),
  slow: job('slow', { timeoutSeconds: 1 }),
  draining: job('draining'),
  endless: job('endless'),
  many: job('many'),
  helping: job('helping'),
  shared: job('shared'),
  hanging: job('hanging'),
  restart: job('restart'),
  idle: job('idle'),
  idleToo: job('idle-too'),
};
const everyMinute = defineJob<Record<string, never>>({
  name: 'every-minute',
  retry: { limit: 3, delaySeconds: 0, backoff: false },
  heartbeatSeconds: 10,
});
const bench = await jobHarness(...Object.values(kinds), everyMinute);
const put = (kind: (typeof kinds)[keyof typeof kinds], ...texts: string[]) =>
  bench.inTransaction(async db => {
    for (const text of texts) await enqueue(db, kind, { text });
  });
const rowsOf = async ({ name }: { name: string }) => (await bench.rows()).filter(row => row.name === name);
const stateOf = async (kind: { name: string }) => (await rowsOf(kind)).map(row => row.state).join();
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

describe('a job that fails', () => {
  test('is retried until it succeeds, with the same id each time', async () => {
    const attempts: Attempt[] = [];
    const task: Task<Note> = {
      job: kinds.flaky,
      concurrency: 1,
      async work(_data, attempt) {
        attempts.push(attempt);
        if (attempt.number === 1) throw new TransientError('not yet');
        if (attempt.number === 2) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      },
    };
    await put(kinds.flaky, 'a');
    await bench.start({ tasks: [task] });
    await until('done', async () => (await stateOf(kinds.flaky)) === 'completed');
    const [row] = await rowsOf(kinds.flaky);
    expect(attempts.map(attempt => attempt.number)).toEqual([1, 2, 3]);
    expect(attempts.map(attempt => attempt.id)).toEqual([row?.id, row?.id, row?.id]);
    expect(attempts[0]?.queuedAt).toBeInstanceOf(Date);
    expect(bench.log.map(({ level, facts }) => [level, facts.job, facts.id, facts.attempt, facts.code])).toEqual([
      ['warn', 'flaky', row?.id, 1, undefined],
      ['warn', 'flaky', row?.id, 2, '57P01'],
    ]);
    expect(bench.log[0]?.facts.message).toBe('not yet');
  });

  test('with a PermanentError is not retried', async () => {
    let runs = 0;
    const task: Task<Note> = {
      job: kinds.hopeless,
      concurrency: 1,
      async work() {
        runs++;
        throw new PermanentError('nobody lives there');
      },
    };
    await put(kinds.hopeless, 'a');
    await bench.start({ tasks: [task] });
    await until('failed', async () => (await stateOf(kinds.hopeless)) === 'failed');
    expect(runs).toBe(1);
    const [row] = await rowsOf(kinds.hopeless);
    expect(row?.output).toEqual({ error: 'PermanentError', message: 'nobody lives there' });
    expect(bench.log).toEqual([
      {
        level: 'warn',
        facts: expect.objectContaining({ job: 'hopeless', id: row?.id }),
        message: 'a job was given up',
      },
    ]);
  });

  test('by a defect logs and stores the stack frames, and nothing of its data', async () => {
    const task: Task<Note> = {
      job: kinds.defective,
      concurrency: 1,
      async work({ text }) {
        throw Object.assign(new RangeError(`cannot handle ${text}`), { code: 'EODD', value: text });
      },
    };
    await put(kinds.defective, 'ann@example.org');
    await bench.start({ tasks: [task] });
    await until('failed', async () => (await stateOf(kinds.defective)) === 'failed');
    const [row] = await rowsOf(kinds.defective);
    expect(row?.retry_count).toBe(1);
    expect(bench.log.map(line => [line.level, line.message])).toEqual([
      ['error', 'a job failed and is tried again'],
      ['error', 'a job failed for the last time'],
    ]);
    const told = JSON.stringify([bench.log, row?.output]);
    expect(told).toContain('RangeError');
    expect(told).toContain('EODD');
    expect(told).toContain('run-jobs.test.ts');
    expect(told).not.toContain('ann@example.org');
  });
});

test('a job that exceeds its timeout is aborted by its signal and retried', async () => {
  const seen: string[] = [];
  const task: Task<Note> = {
    job: kinds.slow,
    concurrency: 1,
    async work(_data, { number, signal }) {
      seen.push(`started ${number}`);
      if (number > 1) return;
      await aborted(signal).catch(() => seen.push('cut off'));
      throw new Error('stopped half way');
    },
  };
  await put(kinds.slow, 'a');
  await bench.start({ tasks: [task] });
  await until('done', async () => (await stateOf(kinds.slow)) === 'completed');
  expect(seen).toEqual(['started 1', 'cut off', 'started 2']);
  expect(bench.log.map(line => line.message)).toEqual(['a job was cut off: its time was up, or the process stops']);
});

describe('stopping', () => {
  test('waits for running jobs and starts no new ones', async () => {
    let finish = () => {};
    const held = new Promise<void>(settle => {
      finish = settle;
    });
    const begun: string[] = [];
    const task: Task<Note> = {
      job: kinds.draining,
      concurrency: 1,
      async work({ text }) {
        begun.push(text);
        await held;
      },
    };
    await put(kinds.draining, 'first');
    await put(kinds.draining, 'second');
    const runner = await bench.start({ tasks: [task] });
    await until('begun', () => begun.length === 1);
    const stopping = runner.stop();
    finish();
    await stopping;
    expect(await stateOf(kinds.draining)).toBe('completed,created');
    expect(begun).toEqual(['first']);
  });

  test('aborts jobs that do not end in time, and returns them to the queue', async () => {
    let cutOff = false;
    const task: Task<Note> = {
      job: kinds.endless,
      concurrency: 1,
      async work(_data, { signal }) {
        await aborted(signal).catch(() => {
          cutOff = true;
        });
      },
    };
    await put(kinds.endless, 'a');
    const runner = await bench.start({ tasks: [task], drainSeconds: 0.2 });
    await until('begun', async () => (await stateOf(kinds.endless)) === 'active');
    await runner.stop();
    expect(cutOff).toBe(true);
    expect(await stateOf(kinds.endless)).toBe('retry');
  });
});

test('a backlog is processed at once with the given concurrency, whatever the poll interval of an idle task', async () => {
  let now = 0;
  let most = 0;
  let done = 0;
  const task: Task<Note> = {
    job: kinds.many,
    concurrency: 3,
    async work() {
      most = Math.max(most, ++now);
      await new Promise(settle => setTimeout(settle, 20));
      now--;
      done++;
    },
  };
  await put(kinds.many, ...Array.from({ length: 30 }, (_, index) => String(index)));
  await bench.start({ tasks: [task], pollSeconds: 600 });
  await until('all are done', () => done === 30);
  expect(most).toBe(3);
});

test('a worker that finds a job polls again soon', async () => {
  const begun: string[] = [];
  const gate = (): [Promise<void>, () => void] => {
    let open = () => {};
    return [new Promise<void>(settle => (open = settle)), () => open()];
  };
  const [firstMayEnd, endFirst] = gate();
  const [thirdHasBegun, beginThird] = gate();
  const task: Task<Note> = {
    job: kinds.helping,
    concurrency: 2,
    async work({ text }) {
      begun.push(text);
      if (text === 'first') await firstMayEnd;
      else if (begun.length < 3) await thirdHasBegun;
      else beginThird();
    },
  };
  await put(kinds.helping, 'first');
  // The poll interval is longer than this test.
  await bench.start({ tasks: [task], pollSeconds: 600 });
  await until('the first has begun', () => begun.length === 1);
  await put(kinds.helping, 'second', 'third');
  endFirst();
  await until('all are done', async () => (await stateOf(kinds.helping)) === 'completed,completed,completed');
});

test('idle tasks send one statement together, and run what becomes due', async () => {
  const proxy = await databaseProxy(bench.url);
  const done: string[] = [];
  const task = (kind: (typeof kinds)['idle']): Task<Note> => ({
    job: kind,
    concurrency: 2,
    async work({ text }) {
      done.push(text);
    },
  });
  const runner = await bench.start({ url: proxy.url, tasks: [kinds.idle, kinds.idleToo].map(task) });
  const fetches = /FOR UPDATE OF j SKIP LOCKED/g;
  let sent = '';
  const hasSent = (part: RegExp, times: number): boolean => {
    sent += proxy.takeSent();
    return [...sent.matchAll(part)].length >= times;
  };
  await until('both have looked once', () => hasSent(fetches, 2));
  sent = '';
  await until('the queues are looked at', () => hasSent(/as queue \(name\)/g, 5));
  expect(sent).not.toMatch(fetches);
  await put(kinds.idle, 'one');
  await put(kinds.idleToo, 'two');
  await until('both are done', () => done.length === 2);
  await runner.stop();
  await proxy.disconnect();
});

test('a job that hangs delays neither the reports of jobs fetched with it nor other jobs', async () => {
  let end = () => {};
  const held = new Promise<void>(settle => {
    end = settle;
  });
  const task: Task<Note> = {
    job: kinds.hanging,
    concurrency: 3,
    work: ({ text }) => (text === 'hangs' ? held : Promise.resolve()),
  };
  await put(kinds.hanging, 'hangs', ...Array.from({ length: 20 }, (_, index) => String(index)));
  await bench.start({ tasks: [task], pollSeconds: 600 });
  const states = async (): Promise<string[]> => (await rowsOf(kinds.hanging)).map(row => row.state);
  await until('the others are settled', async () => (await states()).filter(one => one === 'completed').length === 20);
  expect((await states()).filter(one => one === 'active')).toHaveLength(1);
  end();
  await until('it is settled too', async () => (await states()).every(one => one === 'completed'));
});

test('two processes on one database run each of 60 jobs once', async () => {
  const done: string[] = [];
  const task = (worker: string): Task<Note> => ({
    job: kinds.shared,
    concurrency: 4,
    async work({ text }) {
      done.push(`${worker} ${text}`);
    },
  });
  await bench.start({ tasks: [task('one')] });
  await bench.start({ tasks: [task('two')] });
  const texts = Array.from({ length: 60 }, (_, index) => String(index));
  await put(kinds.shared, ...texts);
  await until('all are done', async () => (await rowsOf(kinds.shared)).every(row => row.state === 'completed'));
  expect(done.map(text => text.replace(/^\w+ /, '')).sort()).toEqual([...texts].sort());
});

test('work that ends while the database restarts is not repeated, and later jobs run', async () => {
  const line = await databaseProxy(bench.url);
  let finish = () => {};
  const held = new Promise<void>(settle => {
    finish = settle;
  });
  const begun: string[] = [];
  const task: Task<Note> = {
    job: kinds.restart,
    concurrency: 1,
    async work({ text }) {
      begun.push(text);
      if (text === 'first') await held;
    },
  };
  const runner = await bench.start({ url: line.url, tasks: [task] });
  await put(kinds.restart, 'first');
  await until('begun', () => begun.length === 1);
  await line.disconnect();
  finish();
  await until('the loss was noticed', () => bench.log.some(({ message }) => message.endsWith('is away')));
  await line.reconnect();
  await put(kinds.restart, 'second');
  await until('both are done', async () => (await stateOf(kinds.restart)) === 'completed,completed');
  expect(begun).toEqual(['first', 'second']);
  expect(bench.log.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warn: the database of the jobs is away',
    'info: the database of the jobs is back',
  ]);
  await runner.stop();
  await line.disconnect();
});

test('a wait for a free connection is no lost connection, nor is a single one', async () => {
  const database = openJobsDatabase(bench.url, bench.logger, 1);
  try {
    // Longer than the 5 seconds in which a connection must be opened.
    const [, { rows }] = await Promise.all([
      database.executeSql('select pg_sleep(5.2)'),
      database.executeSql('select pg_backend_pid() as pid'),
    ]);
    // Ends its own connection, and nothing when it is sent again on another one.
    const ending = 'select pg_terminate_backend(pid) from pg_stat_activity where pid = pg_backend_pid() and pid = $1';
    expect((await database.executeSql(ending, [rows[0].pid])).rows).toEqual([]);
    expect(bench.log).toEqual([]);
  } finally {
    await database.close();
  }
}, 30_000);

test('a scheduled job is added once per tick for all processes, although each of them tries', async () => {
  // Every process checks the schedules when it starts, unless another one has just done so. Here each of them does, and each
  // attempt to add the job is recorded, also a rejected one.
  await bench.query(`
    create table calls (called_at timestamptz default now());
    create function forget() returns trigger language plpgsql as 'begin new.cron_on := null; return new; end';
    create trigger forget before update on jobs.version for each row execute function forget();
    create function note() returns trigger language plpgsql as 'begin insert into calls default values; return new; end';
    create trigger note before insert on jobs.job_common for each row
      when (new.name = '__pgboss__send-it') execute function note()`);
  const minute = () => Math.floor(Date.now() / 60_000);
  const from = minute();
  let runs = 0;
  const task: Task<Record<string, never>> = {
    job: everyMinute,
    concurrency: 1,
    schedule: '* * * * *',
    async work(data) {
      if (Object.keys(data).length === 0) runs++;
    },
  };
  await Promise.all([1, 2, 3].map(() => bench.start({ tasks: [task] })));
  await until('three have called', async () => (await bench.query('select * from calls')).length >= 3);
  await until('what they called for is done', async () => {
    const names = [everyMinute.name, '__pgboss__send-it'];
    const open = await bench.query("select 1 from jobs.job where name = any($1) and state < 'completed'", [names]);
    return runs > 0 && open.length === 0;
  });
  expect(runs).toBe((await rowsOf(everyMinute)).length);
  expect(runs).toBeLessThanOrEqual(minute() - from + 1);

  // A schedule is removed with the code that declared it.
  const { schedule: _, ...unscheduled } = task;
  await bench.start({ tasks: [unscheduled] });
  expect(await bench.query('select * from jobs.schedule')).toEqual([]);
});
