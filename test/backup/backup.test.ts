import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { writeBackup } from '../../src/backup/write-backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrateTo, migrationNames } from '../../src/db/migrate.ts';
import { createJobRunner } from '../../src/server/job-runner.ts';
import { testDatabase, testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { registration, send } from '../harness/people.ts';
import { testSecret } from '../harness/secret.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren } = (await demoOf(gateway)).users;
const folder = mkdtempSync(join(tmpdir(), 'portico-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));
const program = join(import.meta.dirname, '..', '..', 'scripts', 'portico.ts');
const portico = (url: string, args: string[], settings: Record<string, string> = { SECRET_KEY: testSecret }) =>
  promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder,
    // biome-ignore lint/style/noProcessEnv: a child needs the path of this process, and the database of this test.
    env: { PATH: process.env.PATH, DATABASE_URL: url, PORTICO_DATA: folder, ...settings },
  });

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Of every table and sequence a text that differs if the content does. */
const contentOf = (url: string): Promise<Map<string, string>> =>
  connected(url, async client => {
    const { rows } = await client.query<{ name: string; row: string }>(`
      select relname as name, case relkind when 'r' then 'to_jsonb(x)' else 'jsonb_build_array(last_value, is_called)' end as row
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') and relname !~ '^mikro_orm_' order by 1`);
    const content = new Map<string, string>();
    for (const { name, row } of rows) {
      const found = await client.query<{ digest: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
         from (select ${row} as t from public.${pg.escapeIdentifier(name)} x) y`,
      );
      content.set(name, found.rows[0]?.digest ?? '');
    }
    const jobs = await client.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(name || data::text, '|' order by id)), '') as digest
       from jobs.job where state = 'created'`,
    );
    content.set('jobs', jobs.rows[0]?.digest ?? '');
    return content;
  });

const tablesOf = (url: string): Promise<number> =>
  connected(url, async client => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from pg_class where relkind in ('r', 'p', 'S') and relnamespace in
        (select oid from pg_namespace where nspname in ('public', 'jobs'))`,
    );
    return rows[0]?.count ?? -1;
  });

// Databases and gateways are made outside of the tests, which may not register hooks.
const restored = await testDatabase('bare');
const older = await testDatabase('bare');
const migrated = await testDatabase('bare');
const refused = await testDatabase('bare');
const parted = await testDatabase('bare');

// A mail that waits.
const registered = await send(gateway, 'POST', '/auth/register/', registration());
const path = join(folder, 'demo.backup');
// More than one record of rows.
await sql`insert into companion_message (user_id, role, content, safety, created_at)
  select (select min(id) from users), 'user', repeat(md5(n::text), 30) || E'\\n\\t' || n, 'none', now() from generate_series(1, 8000) n`.execute(
  gateway.database.sql,
);
const made = await portico(gateway.databaseUrl, ['backup', path]);
const restoring = await portico(restored, ['restore', path]);
const contents = [await contentOf(gateway.databaseUrl), await contentOf(restored)];
const other = await testGateway({ databaseUrl: restored, now: '2026-10-01T08:10:00Z' });

test('a restored database has every row, partition, sequence and waiting job, and is served', async () => {
  expect(registered.status).toBe(201);
  expect(made.stdout).toMatch(/: \d+ rows of \d+ tables\. \d+ MB in \d+ s\./);
  // No warning of Node.js either.
  expect(made.stderr).toBe('');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(restoring.stderr).toBe('');
  expect(contents[0]?.get('jobs')).not.toMatch(/^0 /);
  expect(contents[1]).toEqual(contents[0]);
  const bearer = `Bearer ${wren.classic_token}`;
  expect((await call(other, 'GET', '/user', bearer)).json.login).toBe('wren');
  // Sequences go on where they were, and triggers run again.
  const created = await call(other, 'POST', '/user/repos', bearer, { name: 'after-restore', auto_init: true });
  expect(created.status).toBe(201);
  expect((await call(other, 'GET', '/repos/wren/after-restore/commits', bearer)).json).toHaveLength(1);
});

test('tables that several sessions read in parts are complete', async () => {
  const partedPath = join(folder, 'parted.backup');
  await connected(gateway.databaseUrl, client =>
    writeBackup({
      client,
      connect: async () => {
        const session = new pg.Client(gateway.databaseUrl);
        await session.connect();
        return session;
      },
      path: partedPath,
      secretCheck: '',
      now: new Date(),
      partBytes: 16_384,
    }),
  );
  await portico(parted, ['restore', partedPath]);
  expect(await contentOf(parted)).toEqual(await contentOf(gateway.databaseUrl));
});

test('a file that exists is not replaced', async () => {
  const before = readFileSync(path);
  await expect(portico(gateway.databaseUrl, ['backup', path])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not replace a file'),
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(folder).filter(name => name.endsWith('.partial'))).toEqual([]);
});

test.each(['SIGTERM', 'SIGINT'] as const)('a backup that is ended by %s leaves nothing', async signal => {
  const stopped = join(folder, `${signal}.backup`);
  await connected(gateway.databaseUrl, async locker => {
    await locker.query('begin; lock table watch in access exclusive mode');
    const child = spawn(process.execPath, [program, 'backup', stopped], {
      cwd: folder,
      // biome-ignore lint/style/noProcessEnv: as for `portico`.
      env: { PATH: process.env.PATH, DATABASE_URL: gateway.databaseUrl, PORTICO_DATA: folder, SECRET_KEY: testSecret },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const partial = `${stopped}.partial`;
    for (const end = Date.now() + 50_000; !(existsSync(partial) && statSync(partial).size > 0) && Date.now() < end; )
      await new Promise(resolve => setTimeout(resolve, 50));
    expect(existsSync(partial)).toBe(true);
    child.kill(signal);
    expect(await ended).toEqual([1, null]);
    expect(existsSync(partial)).toBe(false);
    expect(existsSync(stopped)).toBe(false);
    await locker.query('rollback');
  });
});

test('a backup of an older version is restored and migrated', async () => {
  const config = readConfig({ SECRET_KEY: testSecret });
  const migrations = migrationNames();
  const known = migrations.slice(0, migrations.indexOf('047-oauth-grants'));
  const database = await openDatabase({ url: older, poolSize: 2, statementTimeoutMs: 0 });
  await migrateTo(database, known);
  const logger = { info() {}, warn() {}, error() {} };
  const keys = deriveKeys(config);
  await createJobRunner({ config, database, keys, clock: () => new Date(), url: older, logger }).prepare();
  await database.close();
  const olderPath = join(folder, 'older.backup');
  await connected(older, async client => {
    await client.query(
      `insert into account (kind, login, created_at, updated_at) values ('user', 'old-timer', now(), now())`,
    );
    await writeBackup({ client, path: olderPath, secretCheck: '', now: new Date() });
  });
  // Another secret is told.
  const { stderr } = await portico(migrated, ['restore', olderPath]);
  expect(stderr).toMatch(/another SECRET_KEY/);
  const { rows } = await connected(migrated, client =>
    client.query(
      `select login from account where login = 'old-timer' and exists (select from mikro_orm_migrations where name = $1)`,
      [migrations.at(-1)],
    ),
  );
  expect(rows).toEqual([{ login: 'old-timer' }]);
});

const edited = (backup: Buffer, from: string | RegExp, to: string): Buffer =>
  gzipSync(Buffer.from(gunzipSync(backup).toString('latin1').replace(from, to), 'latin1'), { level: 1 });

test.each([
  ['cut off', (all: Buffer) => all.subarray(0, all.length / 2), /damaged/],
  ['whole gzip, without its end', (all: Buffer) => gzipSync(gunzipSync(all).subarray(0, -40)), /too early/],
  [
    'with a changed byte',
    (all: Buffer) => Buffer.from(all).fill(all.at(all.length >> 1) ? 0 : 1, all.length >> 1, (all.length >> 1) + 8),
    /damaged/,
  ],
  [
    'whole gzip, with a column that no table has',
    (all: Buffer) => edited(all, '"is_site_admin"', '"is_site admin"'),
    /does not fit its tables: column "is_site admin"/,
  ],
  [
    'whole gzip, with a value that its type refuses',
    (all: Buffer) => edited(all, /\t20\d\d-/, '\t20x5-'),
    /does not fit its tables: invalid input syntax/,
  ],
  ['that is no gzip', () => Buffer.from('select 1;'), /not a backup/],
  ['that is another gzip', () => gzipSync('{"a": 1}\n'), /not a backup/],
  [
    'of a newer version',
    (all: Buffer) => edited(all, '"001-articles"', '"999-later"'),
    /newer version of Portico: this one does not know the migration 999-later/,
  ],
])('a file %s is refused in one sentence and leaves nothing behind', async (name, change, message) => {
  const file = join(folder, `${name}.backup`);
  writeFileSync(file, change(readFileSync(path)));
  const failure = await portico(refused, ['restore', file]).catch(error => error as { code: number; stderr: string });
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  expect((failure as { stderr: string }).stderr.trim().split('\n')).toHaveLength(1);
  expect(await tablesOf(refused)).toBe(0);
});

test('a database that is not empty is left as it is', async () => {
  const before = await contentOf(gateway.databaseUrl);
  await expect(portico(gateway.databaseUrl, ['restore', path])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The database is not empty'),
  });
  expect(await contentOf(gateway.databaseUrl)).toEqual(before);
});

test('a file that cannot be written or read is told in one sentence', async () => {
  const missing = join(folder, 'no', 'such', 'folder');
  for (const command of ['backup', 'restore']) {
    await expect(portico(gateway.databaseUrl, [command, missing])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ENOENT[^\n]*\n$/),
    });
  }
});
