import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type pg from 'pg';
import { readConfig } from '../../src/config/config.ts';
import { type ContextDependencies, createContext } from '../../src/context/context.ts';
import { ConnectionPool } from '../../src/db/connection-pool.ts';
import { databaseForJobs, inTransaction, openDatabase } from '../../src/db/database.ts';
import { mapDatabaseError } from '../../src/db/map-database-error.ts';
import { perDatabase } from '../../src/db/per-database.ts';
import { type PoolName, poolLimits } from '../../src/db/pool-limits.ts';
import { PreparedStatements } from '../../src/db/read.ts';
import { runTransaction } from '../../src/db/transaction.ts';
import { RequestUsage } from '../../src/limits/request-usage.ts';
import { testDatabase } from '../harness/gateway.ts';

const url = await testDatabase('bare');
const database = await openDatabase({ url, poolSize: 6, statementTimeoutMs: 10_000 });
afterAll(() => database.close());
const names = Object.keys(database.pools) as PoolName[];

describe('pool limits', () => {
  const sizes = (total: number): number[] => {
    const { anonymous, signedIn, write } = poolLimits(total, 10_000);
    return [anonymous.max, signedIn.max, write.max];
  };

  test('a third of the connections each, the remainder to writes, at least one each', () => {
    expect([1, 2, 3, 4, 5, 10, 30].map(sizes)).toEqual([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 2],
      [1, 2, 2],
      [3, 3, 4],
      [10, 10, 10],
    ]);
  });

  test('from three connections on, no more than DATABASE_POOL together', () => {
    for (let total = 3; total < 200; total++) {
      expect(sizes(total).reduce((sum, one) => sum + one)).toBe(total);
    }
  });

  test('STATEMENT_TIMEOUT_MS bounds every statement of a request', () => {
    const { anonymous, signedIn, authentication, write } = poolLimits(10, 300);
    for (const one of [anonymous, signedIn, authentication, write]) expect(one.statementTimeoutMs).toBe(300);
    for (const total of [2, 10, 1000]) expect(poolLimits(total, 600_000).anonymous.statementTimeoutMs).toBe(1_000);
  });
});

describe('a connection', () => {
  test('has the settings and the application name of its pool', async () => {
    const seen = names.map(async name => {
      const [row] = await database.pools[name].read<Record<string, string>>(sql`
        select current_setting('statement_timeout') as statement, current_setting('timezone') as zone,
          current_setting('idle_in_transaction_session_timeout') as idle,
          (select application_name from pg_stat_activity where pid = pg_backend_pid()) as name`);
      return row;
    });
    const of = (name: string, statement: string) => ({ statement, zone: 'UTC', idle: '1min', name: `portico ${name}` });
    expect(await Promise.all(seen)).toEqual([
      of('anonymous', '1s'),
      of('signedIn', '5s'),
      of('authentication', '1s'),
      of('write', '10s'),
      of('jobs', '1min'),
    ]);
  });

  test.each(names)('of «%s» is reused after a failed statement and replaced when it is lost', async name => {
    const pool = database.pools[name];
    const client = await pool.acquire();
    const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
    // All connections but one are taken, so that the following statements share one.
    const others = await Promise.all(Array.from({ length: pool.state.max - 1 }, () => pool.acquire()));
    client.release();
    const [before] = await pool.read(pid);
    for (const wrong of [sql`select 1 / 0`, sql`select nothing from nowhere`]) {
      await expect(pool.read(wrong)).rejects.toThrow();
      await expect(wrong.execute(pool.sql)).rejects.toThrow();
    }
    await expect(
      pool.transaction(async db => {
        await sql`select 1 / 0`.execute(db);
      }),
    ).rejects.toThrow('division by zero');
    expect(await pool.read(pid)).toEqual([before]);
    await expect(pool.read(sql`select pg_terminate_backend(pg_backend_pid())`)).rejects.toThrow();
    const [after] = await pool.read(pid);
    expect(after).not.toEqual(before);
    for (const other of others) other.release();
  });
});

describe('a connection that breaks while it is acquired', () => {
  const pool = database.pools.write;
  /** Ends the session of a client and resolves when the client knows. */
  const cut = async (client: pg.PoolClient): Promise<void> => {
    const known = new Promise<void>(resolve => client.once('end', () => resolve()));
    await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {});
    await known;
  };
  const reason = (error: unknown) => mapDatabaseError(error)?.extensions;
  const away = { code: 'SERVICE_UNAVAILABLE', reason: 'database_away' };

  test('between two statements is reported as a database outage, not as a defect', async () => {
    const client = await pool.acquire();
    await cut(client);
    expect(reason(await client.query('select 1').catch((error: unknown) => error))).toMatchObject(away);
    client.release(true);
    expect(await pool.read(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('in a transaction is reported as an outage too, whenever it breaks', async () => {
    const cutting = {
      async acquire() {
        const client = await pool.acquire();
        await cut(client);
        return client;
      },
      begin: 'begin',
    };
    const failed = runTransaction(cutting, async () => {}).catch((error: unknown) => error);
    expect(reason(await failed)).toMatchObject(away);
    await expect(pool.transaction(db => sql`select 1 as one`.execute(db))).resolves.toMatchObject({
      rows: [{ one: 1 }],
    });
  });
});

describe('behind a pooler', () => {
  const pool = new ConnectionPool({
    name: 'write',
    connection: { connectionString: url },
    isBehindPooler: true,
    database: {},
    statements: new PreparedStatements(),
    max: 2,
    maxWaiting: 10,
    waitTimeoutMs: 5_000,
    statementTimeoutMs: 4_321,
  });
  afterAll(() => pool.end());
  const statement = sql<{ timeout: string; prepared: number }>`select current_setting('statement_timeout') as timeout,
    (select count(*)::int from pg_prepared_statements where name <> '') as prepared`;
  const expected = [{ timeout: '4321ms', prepared: 0 }];

  test('each way of sending has the settings of the pool in its transaction, and prepares nothing', async () => {
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await pool.read(statement)).toEqual(expected);
      expect((await statement.execute(pool.sql)).rows).toEqual(expected);
      expect((await pool.transaction(db => statement.execute(db))).rows).toEqual(expected);
      expect(await pool.pipeline()([statement, statement])).toEqual([expected, expected]);
    }
  });

  test('an error of a statement is that of the statement', async () => {
    await expect(pool.read(sql`select 1 / 0`)).rejects.toMatchObject({ code: '22012' });
    await expect(pool.pipeline()([sql`select 1 / 0`, statement])).rejects.toMatchObject({ code: '22012' });
    expect(await pool.read(statement)).toEqual(expected);
  });

  test('the settings end with the transaction', async () => {
    const client = await pool.acquire();
    const { rows } = await client.query("select current_setting('statement_timeout') as timeout");
    client.release();
    expect(rows).not.toEqual([{ timeout: '4321ms' }]);
  });
});

describe('the queue', () => {
  test('refuses at once when it is full, and serves those in it', async () => {
    const pool = database.pools.anonymous;
    const { max } = pool.state;
    const taken = await Promise.all(Array.from({ length: max }, () => pool.acquire()));
    const waiting = Array.from({ length: 500 }, (_, n) => pool.read(sql`select ${n}::int as n`));
    const refused = { code: 'POOL_QUEUE_FULL' };
    await expect(pool.read(sql`select 1`)).rejects.toMatchObject(refused);
    await expect(sql`select 1`.execute(pool.sql)).rejects.toMatchObject(refused);
    await expect(pool.transaction(async () => {})).rejects.toMatchObject(refused);
    expect(pool.state).toMatchObject({ waiting: 500, total: max, idle: 0, refused: { queueFull: 3, waitTimeout: 0 } });
    for (const one of taken) one.release();
    const served = await Promise.all(waiting);
    expect(served).toEqual(Array.from({ length: 500 }, (_, n) => [{ n }]));
  });

  test('refuses after waitTimeoutMs; other pools are not affected', async () => {
    const pool = database.pools.anonymous;
    const taken = await Promise.all(Array.from({ length: pool.state.max }, () => pool.acquire()));
    const waiting = Array.from({ length: 3 }, () => pool.read(sql`select 1`));
    const others = names.filter(name => name !== 'anonymous').map(name => database.pools[name].read(sql`select 1`));
    await Promise.all(others);
    for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'POOL_WAIT_TIMEOUT' });
    expect(pool.state).toMatchObject({ waiting: 0, refused: { waitTimeout: 3 } });
    for (const one of taken) one.release();
    expect(await pool.read(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});

describe('the database time of a request', () => {
  const source = { config: readConfig({}), database, clock: () => new Date(0) } as ContextDependencies;
  const sleep = sql`select pg_sleep(0.03)`;
  const context = () => createContext(source, { kind: 'anonymous', ip: '192.0.2.1' }, 'http://localhost');

  test.each<[string, (one: ReturnType<typeof context>) => Promise<unknown>]>([
    ['read', one => one.read(sleep)],
    ['sql', one => sleep.execute(one.sql)],
    ['transaction', one => one.transaction(db => sleep.execute(db))],
    ['a read that fails', one => one.read(sql`select pg_sleep(0.03), 1 / (random() * 0)::int`)],
  ])('includes %s', async (_, work) => {
    const one = context();
    expect(one.usage.databaseMicroseconds).toBe(0);
    await work(one).catch(() => {});
    expect(one.usage.databaseMicroseconds).toBeGreaterThanOrEqual(30_000);
    expect(Number.isInteger(one.usage.databaseMicroseconds)).toBe(true);
  });

  test('includes the commit of a transaction, in which deferred constraints are checked', async () => {
    await inTransaction(database, async db => {
      await sql`create table slow_check (id int)`.execute(db);
      await sql`create function slow_check() returns trigger language plpgsql as
        'begin perform pg_sleep(0.03); return null; end'`.execute(db);
      await sql`create constraint trigger slow_check after insert on slow_check deferrable initially deferred
        for each row execute function slow_check()`.execute(db);
    });
    const one = context();
    await one.transaction(async db => {
      await sql`insert into slow_check values (1)`.execute(db);
    });
    expect(one.usage.databaseMicroseconds).toBeGreaterThanOrEqual(30_000);
  });

  test('sums concurrent statements, each for its own request', async () => {
    const usage = new RequestUsage();
    const one = createContext(source, { kind: 'anonymous', ip: '' }, '', { usage });
    const other = context();
    await Promise.all([one.read(sleep), sleep.execute(one.sql), other.read(sql`select 1`)]);
    expect(usage.databaseMicroseconds).toBeGreaterThanOrEqual(60_000);
    expect(one.usage).toBe(usage);
    expect(other.usage.databaseMicroseconds).toBeGreaterThan(0);
  });

  test('excludes the wait for a connection', async () => {
    const pool = database.pools.anonymous;
    const taken = await Promise.all(Array.from({ length: pool.state.max }, () => pool.acquire()));
    const one = context();
    const waiting = one.read(sql`select 1`);
    await database.read(sleep);
    expect(pool.state.waiting).toBe(1);
    expect(one.usage.databaseMicroseconds).toBe(0);
    for (const client of taken) client.release();
    await waiting;
    expect(one.usage.databaseMicroseconds).toBeGreaterThan(0);
  });
});

test('perDatabase values are shared by the pools, requests and jobs of one database, and by no other database', async () => {
  const kept = perDatabase(() => ({}));
  const source = { config: readConfig({}), database, clock: () => new Date(0) } as ContextDependencies;
  const value = kept(database.read);
  const reads = [
    ...names.map(name => database.pools[name].read),
    databaseForJobs(database).read,
    createContext(source, { kind: 'anonymous', ip: '' }, '').read,
    createContext(source, { kind: 'person', ip: '', userId: 1, sessionId: '', isGuest: true }, '').read,
  ];
  for (const read of reads) expect(kept(read)).toBe(value);
  const second = await openDatabase({ url, poolSize: 1, statementTimeoutMs: 1_000 });
  expect(kept(second.read)).not.toBe(value);
  await second.close();
});
