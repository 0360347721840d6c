import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { databaseForJobs, openDatabase } from '../../src/db/database.ts';
import { oidBytes, unlimitedSource } from '../../src/git/repository.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { numbers } from '../git/random-history.ts';
import { folder, SystemGit } from '../git/worlds.ts';
import { testDatabase } from '../harness/gateway.ts';

const root = join(import.meta.dirname, '../..');
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
const url = await testDatabase('empty');
const database = databaseForJobs(await openDatabase({ url, poolSize: 3, statementTimeoutMs: 30_000 }));
closing.push(() => database.close());
const data = folder();
const environment = {
  // biome-ignore lint/style/noProcessEnv: where git is found.
  PATH: process.env.PATH ?? '',
  DATABASE_URL: url,
  PORTICO_DATA: data,
};
const program = [join(root, 'dist/src/command-line/portico.js'), 'repos'];

/** Runs a command of the program and returns its output. */
function repos(...words: string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...words], {
    cwd: root,
    encoding: 'utf8',
    env: environment,
  });
  return { status, out: stdout, err: stderr };
}

/** A repository with commits of one small file each, of which git makes deltas. */
async function made(name: string, commits: number): Promise<{ id: number; git: SystemGit }> {
  const pick = numbers(3);
  const line = (): string => Array.from({ length: 6 }, () => pick(2 ** 30).toString(36)).join(' ');
  const lines = Array.from({ length: 40 }, line);
  const stream: string[] = [];
  for (let at = 0; at < commits; at++) {
    lines[pick(lines.length)] = line();
    const text = lines.join('\n');
    stream.push(
      `commit refs/heads/main\ncommitter C <c@example.org> ${1_600_000_000 + at} +0000\ndata 5\nhello\n` +
        `M 100644 inline file.txt\ndata ${text.length}\n${text}\n`,
    );
  }
  const git = SystemGit.create();
  git.bytes(['fast-import', '--quiet', '--done'], { input: `${stream.join('')}done\n` });
  const { rows } = await sql<{ id: number }>`
    with owner as (insert into account (kind, login, created_at, updated_at)
      values ('organization', ${`of-${name}`}, now(), now()) returning id)
    insert into repository (owner_id, name, created_at, updated_at)
    select id, ${name}, now(), now() from owner returning id`.execute(database.sql);
  const id = rows[0]?.id ?? 0;
  const context = {
    ...unlimitedSource(database.read),
    transaction: <T>(work: Parameters<typeof database.pools.jobs.transaction<T>>[0]) =>
      database.pools.jobs.transaction(work),
    now: () => new Date(),
  };
  await importRepository(context, { repositoryId: id, path: git.path });
  return { id, git };
}

const countDeltas = async (id: number): Promise<number> =>
  (
    await database.read<{ count: number }>(
      sql`select count(*)::int as count from git_object where repository_id = ${id} and delta is not null`,
    )
  )[0]?.count ?? 0;

test('gc, verify and export of a repository, and what is wrong in plain words', async () => {
  const { id, git } = await made('plain', 30);
  const { status, out } = repos('gc', 'of-plain/plain');
  expect([status, out]).toEqual([
    0,
    expect.stringMatching(/^of-plain\/plain: 0 objects \(0.0 MB\) deleted, \d+ stored as deltas\n$/),
  ]);
  expect(await countDeltas(id)).toBeGreaterThan(20);
  const sound = 'of-plain/plain: 90 objects and 1 refs, no defects.\n';
  expect(repos('verify', 'OF-plain/Plain')).toEqual({ status: 0, out: sound, err: '' });
  const bare = join(folder(), 'bare.git');
  expect(repos('export', 'of-plain/plain', bare)).toMatchObject({
    status: 0,
    out: `90 objects and 1 refs of of-plain/plain are in ${bare}.\n`,
  });
  const copy = new SystemGit(bare);
  copy.run('fsck', '--strict', '--full');
  expect(copy.run('rev-parse', 'HEAD')).toBe(git.run('rev-parse', 'main'));
  const bundle = join(folder(), 'all.bundle');
  expect(repos('export', 'of-plain/plain', bundle, '--bundle').status).toBe(0);
  const clone = new SystemGit(folder());
  clone.run('clone', '-q', bundle, '.');
  expect(clone.run('rev-parse', 'HEAD')).toBe(git.run('rev-parse', 'main'));
  expect(readdirSync(join(bundle, '..'))).toEqual(['all.bundle']);

  expect(repos('export', 'of-plain/plain', bare)).toMatchObject({ status: 1, err: `${bare} is not empty.\n` });
  expect(repos('export', 'of-plain/plain', bundle, '--bundle')).toMatchObject({
    status: 1,
    err: `${bundle} exists.\n`,
  });
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  expect(repos('export', 'of-plain/plain', join(file, 'below')).err).toBe(
    `${join(file, 'below')} cannot be written (ENOTDIR).\n`,
  );
  expect(repos('verify', 'of-plain/nothing')).toMatchObject({
    status: 1,
    err: 'There is no repository of-plain/nothing.\n',
  });
  expect(repos('verify', 'plain').err).toMatch(/^«plain» is no repository/);
  expect(repos('gc').err).toBe('Name a repository as owner/name, or give --all.\n');
  expect(repos('gc', '--all', '--grace-days', 'x').err).toMatch(/whole number/);

  await sql`delete from git_ref where repository_id = ${id}`.execute(database.sql);
  expect(repos('export', 'of-plain/plain', join(folder(), 'x'), '--bundle').err).toMatch(/no refs/);
  expect(repos('gc', 'of-plain/plain').out).toMatch(
    /0 objects .*, 90 that nothing reaches kept because they are younger than 14 days/,
  );
  expect(repos('gc', '--all', '--grace-days', '0').out).toMatch(/^of-plain\/plain: 90 objects/);
  expect(repos('verify', '--all').out).toMatch(/of-plain\/plain: 0 objects and 0 refs, no defects/);
});

test('defects are listed, and the exit code is 1', async () => {
  const { id, git } = await made('damaged', 8);
  repos('gc', 'of-damaged/damaged');
  const [row] = await database.read<{ oid: string }>(
    sql`select encode(oid, 'hex') as oid from git_object where repository_id = ${id} and delta is not null limit 1`,
  );
  const whole = git.run('rev-parse', 'main:file.txt');
  for (const oid of [row?.oid ?? '', whole]) {
    await sql`update git_object set z = substr(z, 1, 9), delta = substr(delta, 1, 9)
      where repository_id = ${id} and oid = ${oidBytes(oid)}`.execute(database.sql);
  }
  const { status, out } = repos('verify', 'of-damaged/damaged');
  expect(status).toBe(1);
  for (const oid of [row?.oid, whole]) expect(out).toContain(`of-damaged/damaged: The stored object ${oid} is damaged`);
  expect(repos('export', 'of-damaged/damaged', join(folder(), 'x')).err).toMatch(/`repos verify` lists all defects/);
});

test('a repack that is killed leaves a repository without defects, which the next one completes', async () => {
  const { id } = await made('killed', 1_300);
  // Each transaction takes its time, so that the process is killed between two of them, and within one.
  await sql`create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return null; end $$`.execute(
    database.sql,
  );
  await sql`create trigger slow after update on git_object for each statement execute function slow()`.execute(
    database.sql,
  );
  for (const wanted of [0, 1]) {
    const before = await countDeltas(id);
    const child: ChildProcess = spawn(process.execPath, [...program, 'gc', 'of-killed/killed'], {
      cwd: root,
      env: environment,
    });
    const ended = new Promise(resolve => child.once('close', (_, killedBy) => resolve(killedBy)));
    const isUpdating = async (): Promise<boolean> => {
      if (wanted > 0) return (await countDeltas(id)) > before;
      const rows = await database.read(
        sql`select from pg_stat_activity where datname = current_database() and query like '%update git_object%' and wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    };
    for (const end = Date.now() + 60_000; !(await isUpdating()) && Date.now() < end; await delay(20));
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    // PostgreSQL ends its statement and notices then.
    const isLocked = async (): Promise<boolean> =>
      (
        await database.read(sql`select from pg_locks where locktype = 'advisory' and classid = 701679
        and database = (select oid from pg_database where datname = current_database())`)
      ).length > 0;
    for (const end = Date.now() + 30_000; (await isLocked()) && Date.now() < end; await delay(50));
    expect(await isLocked()).toBe(false);
    expect(repos('verify', 'of-killed/killed')).toMatchObject({
      status: 0,
      out: 'of-killed/killed: 3900 objects and 1 refs, no defects.\n',
    });
  }
  const deltas = await countDeltas(id);
  expect(deltas).toBeGreaterThan(0);
  await sql`drop trigger slow on git_object`.execute(database.sql);
  expect(repos('gc', 'of-killed/killed').status).toBe(0);
  expect(await countDeltas(id)).toBeGreaterThan(deltas);
  expect(repos('verify', 'of-killed/killed').status).toBe(0);
}, 300_000);
