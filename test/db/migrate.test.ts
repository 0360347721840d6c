import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type ConcurrentIndex, ConcurrentIndexes } from '../../src/db/concurrent-indexes.ts';
import { openDatabase } from '../../src/db/database.ts';
import { MigrationLockError, migrate, migrationNames, withStartLock } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/list.ts';
import { pendingMigrations } from '../../src/db/pending-migrations.ts';
import { testDatabase } from '../harness/gateway.ts';

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
const [bareUrl, lockedUrl, indexedUrl] = [
  await testDatabase('bare'),
  await testDatabase('bare'),
  await testDatabase('empty'),
];
const bare = new pg.Client(bareUrl);
const locking = new pg.Client(lockedUrl);
const watching = new pg.Client(lockedUrl);
for (const client of [bare, locking, watching]) {
  await client.connect();
  closing.push(() => client.end());
}
const locked = await openDatabase({ url: lockedUrl, poolSize: 2, statementTimeoutMs: 10_000 });
closing.push(() => locked.close());

const indexed = await openDatabase({ url: indexedUrl, poolSize: 2, statementTimeoutMs: 10_000 });
const indexing = new pg.Client(indexedUrl);
await indexing.connect();
closing.push(
  () => indexed.close(),
  () => indexing.end(),
);

const program = join(import.meta.dirname, '..', '..', 'scripts', 'portico.ts');
const portico = (args: string[], settings: Record<string, string>) =>
  promisify(execFile)(process.execPath, [program, ...args], {
    cwd: tmpdir(),
    // biome-ignore lint/style/noProcessEnv: a child needs the path of this process.
    env: { PATH: process.env.PATH, PORTICO_DATA: join(tmpdir(), `portico-no-data-${process.pid}`), ...settings },
  });
const relations = async (): Promise<number> => {
  const { rows } = await bare.query(
    `select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace`,
  );
  return rows[0].n;
};

test('the plan prints the SQL of what is pending and changes nothing; then it runs', async () => {
  const before = await relations();
  const { stdout } = await portico(['migrate', '--plan'], { DATABASE_URL: bareUrl });
  const headings = [...stdout.matchAll(/^-- (\d{3}-[\w-]+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(migrationNames());
  expect(stdout).toContain('create table article');
  expect(stdout).toMatch(/-- Statements that depend on the rows of: select id, email from users/);
  expect(await relations()).toBe(before);

  const ran = await portico(['migrate'], { DATABASE_URL: bareUrl });
  expect(ran.stdout).toMatch(new RegExp(`${migrationNames().length} migrations ran\\.\n$`));
  expect((await portico(['migrate'], { DATABASE_URL: bareUrl })).stdout).toBe('Nothing was pending.\n');
  expect((await portico(['migrate', '--plan'], { DATABASE_URL: bareUrl })).stdout).toMatch(/^-- 0 pending\./);
}, 60_000);

test('a plan for an embedded database that does not exist is refused, and creates none', async () => {
  await expect(portico(['migrate', '--plan'], {})).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no database in .*: the first start creates it\.\n$/),
  });
});

test('a locked table ends a migration with a sentence and without a change; a free one lets it go on', async () => {
  await locked.orm.migrator.up({ to: '048-service-signing-keys' });
  const applied = async (): Promise<number> =>
    (await watching.query('select count(*)::int as n from mikro_orm_migrations')).rows[0].n;
  const before = await applied();
  await locking.query('begin; lock table app in access exclusive mode');
  await expect(migrate(locked, 1)).rejects.toThrow(MigrationLockError);
  expect(await applied()).toBe(before);

  const migrated = migrate(locked);
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await watching.query(waits)).rowCount === 0);
  await locking.query('commit');
  expect(await migrated).toContain('049-app-bots');
}, 60_000);

/** The migrations of this version and one more, which builds these indexes. */
function withIndexes(name: string, ...indexes: ConcurrentIndex[]): typeof migrations {
  class Indexes extends ConcurrentIndexes {
    override readonly indexes = indexes;
  }
  return [...migrations, { name, class: Indexes }];
}

const isUsable = async (name: string): Promise<boolean | undefined> =>
  (await indexing.query('select indisvalid from pg_index where indexrelid = to_regclass($1)', [name])).rows[0]
    ?.indisvalid;
const isRecorded = async (name: string): Promise<boolean> =>
  (await indexing.query('select from mikro_orm_migrations where name = $1', [name])).rowCount === 1;

describe('a migration that builds indexes concurrently', () => {
  test('runs once, outside of a transaction, and its plan says so', async () => {
    const list = withIndexes('901-names', { name: 'account_test_names', on: 'account (name) where name is not null' });
    expect(await pendingMigrations(indexed, list)).toEqual([
      {
        name: '901-names',
        isTransactional: false,
        lookups: [],
        statements: [
          'create index concurrently if not exists account_test_names on account (name) where name is not null',
        ],
      },
    ]);
    expect(await migrate(indexed, 1, list)).toEqual(['901-names']);
    expect([await isUsable('account_test_names'), await isRecorded('901-names')]).toEqual([true, true]);
    expect(await migrate(indexed, 1, list)).toEqual([]);
  });

  test('replaces the unusable index that an interrupted one has left', async () => {
    await indexing.query('create index account_test_left on account (name)');
    await indexing.query(`update pg_index set indisvalid = false where indexrelid = 'account_test_left'::regclass`);
    await migrate(indexed, 1, withIndexes('902-left', { name: 'account_test_left', on: 'account (login, name)' }));
    expect(await isUsable('account_test_left')).toBe(true);
    const { rows } = await indexing.query(`select pg_get_indexdef('account_test_left'::regclass) as definition`);
    expect(rows[0].definition).toContain('(login, name)');
  });

  test('leaves nothing when it cannot be built, and is tried again', async () => {
    await indexing.query('create table indexed_twice (name text)');
    await indexing.query(`insert into indexed_twice values ('a'), ('a')`);
    const list = withIndexes('903-twice', { name: 'indexed_twice_name', on: 'indexed_twice (name)', isUnique: true });
    await expect(migrate(indexed, 1, list)).rejects.toThrow(/903-twice.*SQLSTATE 23505/);
    expect([await isUsable('indexed_twice_name'), await isRecorded('903-twice')]).toEqual([undefined, false]);
    await indexing.query('delete from indexed_twice');
    expect(await migrate(indexed, 1, list)).toEqual(['903-twice']);
    expect(await isUsable('indexed_twice_name')).toBe(true);
    await indexing.query('drop table indexed_twice');
  });

  test('does not wait for the process that starts beside it', async () => {
    const list = withIndexes('904-beside', { name: 'account_test_beside', on: 'account (login)' });
    const start = (): Promise<string[]> => withStartLock(indexedUrl, () => migrate(indexed, 1, list));
    const ran = await Promise.all([start(), start(), start()]);
    expect(ran.flat()).toEqual(['904-beside']);
  });

  test('waits for older transactions without being in the way of others', async () => {
    const list = withIndexes('905-waits', { name: 'account_test_waits', on: 'account (login)' });
    const older = new pg.Client(indexedUrl);
    await older.connect();
    await older.query(`begin; update account set name = name`);
    const migrated = migrate(indexed, 1, list);
    const waits = `select from pg_stat_activity where datname = current_database() and application_name = 'portico migrate'
      and wait_event_type = 'Lock'`;
    while ((await indexing.query(waits)).rowCount === 0);
    await indexing.query('begin; set local lock_timeout = 1000; lock table account in row exclusive mode; commit');
    await older.query('commit');
    await older.end();
    expect(await migrated).toEqual(['905-waits']);
  });
});
