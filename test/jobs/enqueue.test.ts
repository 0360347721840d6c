import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { defineJob } from '../../src/jobs/define-job.ts';
import { enqueue, enqueueAll } from '../../src/jobs/enqueue.ts';
import { prepareJobs } from '../../src/jobs/prepare-jobs.ts';
import { startJobs } from '../../src/jobs/start-jobs.ts';
import { testDatabase } from '../harness/gateway.ts';
import { jobHarness } from './job-harness.ts';

const retry = { limit: 3, delaySeconds: 1, backoff: false };
const letters = defineJob<{ to: string }>({ name: 'letters', retry, heartbeatSeconds: 10 });
const reports = defineJob<{ day: string }>({
  name: 'reports',
  retry: { limit: 5, delaySeconds: 2, backoff: true, maxDelaySeconds: 60 },
  heartbeatSeconds: 20,
  timeoutSeconds: 7,
  retentionDays: 2,
});

/** A database without the tables of jobs; the template of the tests has them. */
const bareDatabase = async () => {
  const url = await testDatabase('empty');
  const client = new pg.Client(url);
  await client.connect();
  await client.query('drop schema if exists jobs cascade');
  await client.end();
  return url;
};
const unprepared = await bareDatabase();
const fresh = await bareDatabase();
const bench = await jobHarness(letters, reports);
const named = async (name: string) => (await bench.rows()).filter(row => row.name === name);

describe('a job', () => {
  test('exists when the transaction commits', async () => {
    await bench.inTransaction(db => enqueue(db, letters, { to: 'committed' }));
    expect(await named('letters')).toEqual([expect.objectContaining({ data: { to: 'committed' }, state: 'created' })]);
  });

  test('does not exist when the transaction rolls back', async () => {
    const before = await named('letters');
    const rolledBack = bench.inTransaction(async db => {
      await enqueue(db, letters, { to: 'rolled back' });
      throw new Error('changed our mind');
    });
    await expect(rolledBack).rejects.toThrow('changed our mind');
    expect(await named('letters')).toEqual(before);
  });

  test('waits until startAfter', async () => {
    const startAfter = new Date('2031-05-06T07:08:09Z');
    await bench.inTransaction(db => enqueue(db, reports, { day: 'later' }, { startAfter }));
    expect((await named('reports')).map(row => row.start_after)).toEqual([startAfter]);
  });

  test('of a type that was not prepared is an error', async () => {
    const unknown = defineJob<{ a: number }>({ name: 'unknown', retry, heartbeatSeconds: 10 });
    await expect(bench.inTransaction(db => enqueue(db, unknown, { a: 1 }))).rejects.toThrow('unknown');
  });
});

test('a missing queue is an error', async () => {
  const passing = defineJob<{ a: number }>({ name: 'passing', retry, heartbeatSeconds: 10 });
  await prepareJobs(bench.url, [passing]);
  const written = bench.inTransaction(async db => {
    await enqueue(db, passing, { a: 1 });
    await sql`delete from jobs.job where name = 'passing'`.execute(db);
    await sql`delete from jobs.queue where name = 'passing'`.execute(db);
    await enqueue(db, passing, { a: 2 });
  });
  await expect(written).rejects.toThrow('The job «passing» was not written: its queue is missing.');
});

describe('several jobs', () => {
  const passages = defineJob<{ to: string }>({ name: 'passages', retry, heartbeatSeconds: 10 });

  test('are added by one statement, each with its own startAfter', async () => {
    await prepareJobs(bench.url, [passages]);
    const startAfter = new Date('2031-05-06T07:08:09Z');
    await bench.inTransaction(async db => {
      await enqueueAll(db, passages, []);
      await enqueueAll(db, passages, [{ data: { to: 'now' } }, { data: { to: 'later' }, startAfter }]);
    });
    const rows = (await named('passages')).map(({ data, start_after: at }): [unknown, boolean] => [
      (data as { to: string }).to,
      at > new Date(),
    ]);
    expect(new Map(rows)).toEqual(
      new Map([
        ['now', false],
        ['later', true],
      ]),
    );
  });

  test('are an error when their queue is missing', async () => {
    const written = bench.inTransaction(async db => {
      await sql`delete from jobs.job where name = 'passages'`.execute(db);
      await sql`delete from jobs.queue where name = 'passages'`.execute(db);
      await enqueueAll(db, passages, [{ data: { to: 'nobody' } }]);
    });
    await expect(written).rejects.toThrow('The job «passages» was not written: its queue is missing.');
  });
});

describe('a job with a singletonKey', () => {
  const keyed = async (key: string) =>
    (await bench.query('select data from jobs.job where singleton_key = $1', [key])).map(row => row.data.to);
  const write = (to: string, singletonKey: string) =>
    bench.inTransaction(db => enqueue(db, letters, { to }, { singletonKey }));

  test('replaces a waiting job with the same key', async () => {
    await write('first', 'same');
    await write('second', 'same');
    await write('other', 'different');
    expect(await keyed('same')).toEqual(['second']);
    expect(await keyed('different')).toEqual(['other']);
  });

  test('locks the waiting job until the writer commits, so the work sees what was written', async () => {
    await write('first', 'held');
    await bench.inTransaction(async db => {
      await enqueue(db, letters, { to: 'second' }, { singletonKey: 'held' });
      const free = await bench.query("select 1 from jobs.job where singleton_key = 'held' for update skip locked");
      expect(free).toEqual([]);
    });
    expect(await keyed('held')).toEqual(['second']);
  });
});

describe('prepareJobs', () => {
  test('creates one set of tables and queues, also when it runs twice at the same time', async () => {
    await Promise.all([prepareJobs(fresh, [letters, reports]), prepareJobs(fresh, [reports, letters])]);
    await prepareJobs(fresh, [letters, reports]);
    const runner = await startJobs({ url: fresh, tasks: [], logger: { info() {}, warn() {}, error() {} } });
    await runner.stop();
  });

  test('writes the retry options of each type, and updates them when they change', async () => {
    const settings = async () => {
      const columns =
        'retry_limit, retry_delay, retry_backoff, retry_delay_max, heartbeat_seconds, expire_seconds, deletion_seconds';
      const [row] = await bench.query(`select ${columns} from jobs.queue where name = 'reports'`);
      return Object.values(row);
    };
    expect(await settings()).toEqual([5, 2, true, 60, 20, 7, 2 * 86_400]);
    await prepareJobs(bench.url, [{ ...reports, retry }]);
    expect(await settings()).toEqual([3, 1, false, null, 20, 7, 2 * 86_400]);
  });

  test('is named in the error of startJobs when it has not run', async () => {
    const starting = startJobs({ url: unprepared, tasks: [], logger: { info() {}, warn() {}, error() {} } });
    // If it starts nevertheless, it must not outlive the test.
    starting.then(
      runner => runner.stop(),
      () => {},
    );
    await expect(starting).rejects.toThrow('prepareJobs comes first');
  });
});
