import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { MigrationLockError, migrate, migrationNames } from '../../src/db/migrate.ts';
import { testDatabase } from '../harness/gateway.ts';

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
const [bareUrl, lockedUrl] = [await testDatabase('bare'), await testDatabase('bare')];
const bare = new pg.Client(bareUrl);
const locking = new pg.Client(lockedUrl);
const watching = new pg.Client(lockedUrl);
for (const client of [bare, locking, watching]) {
  await client.connect();
  closing.push(() => client.end());
}
const locked = await openDatabase({ url: lockedUrl, poolSize: 2, statementTimeoutMs: 10_000 });
closing.push(() => locked.close());

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
