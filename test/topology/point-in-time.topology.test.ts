import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { chooseAccount } from '../../src/db/embedded-account.ts';
import { Program } from '../harness/program.ts';
import { operatorFile } from './operator-files.ts';
import { postgresPrograms } from './postgres-node.ts';
import { freeListenPort, ServerProgram } from './server-program.ts';

// Two starts of a gateway, of which the first fills the demo world.
jest.setTimeout(180_000);

const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'portico-point-in-time-'));
chmodSync(folder, 0o755);
const account = chooseAccount(join(folder, 'cluster')) ?? undefined;
const archive = join(folder, 'archive');
const running: { program?: Program; server?: ServerProgram } = {};
afterAll(async () => {
  await running.program?.remove();
  await running.server?.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

const makeFolder = async (path: string): Promise<void> => {
  mkdirSync(path, { mode: 0o700 });
  if (account) await execute('chown', [`${account.uid}:${account.gid}`, path]);
};
const run = (program: string, ...args: string[]): Promise<unknown> =>
  execute(join(postgresPrograms ?? '', program), args, {
    env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
    ...(account ? { uid: account.uid, gid: account.gid } : {}),
  });

/** A server whose WAL is archived with the settings for operators; `cp` in place of pgBackRest. */
function serverOf(cluster: string, port: number): ServerProgram {
  return new ServerProgram({
    name: cluster,
    command: join(postgresPrograms ?? '', 'postgres'),
    args: ['-D', cluster, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    account,
    logFile: `${cluster}.log`,
    stopSignal: 'SIGINT',
    isReady: async () => (await query(port, 'select pg_is_in_recovery() as recovers'))[0]?.recovers === false,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a caller reads the columns of its own statement.
async function query(port: number, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: urlOf(port, 'postgres'), connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const urlOf = (port: number, database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;

interface StartedGateway {
  program: Program;
  send(method: string, path: string, body?: unknown): Promise<number>;
}

/** `token`: of the demo world, which the first start writes. */
async function startGateway(port: number, token?: string): Promise<StartedGateway & { token: string }> {
  const program = new Program({
    DATABASE_URL: urlOf(port, 'portico'),
    SECRET_KEY: 'a secret of a restore drill on one machine',
    SEED: token === undefined ? 'demo' : 'none',
    JOBS: 'off',
  });
  running.program = program;
  const [, url = ''] = await program.printed(/Start page +(http:\S+?)\/?\n[\s\S]*Try:/, 120_000);
  const read = (): string =>
    JSON.parse(readFileSync(join(program.folder, 'demo.json'), 'utf8')).hosting.users.wren.classic_token;
  const known = token ?? read();
  return {
    program,
    token: known,
    send: async (method, path, body) => {
      const headers = { Authorization: `Bearer ${known}`, 'Content-Type': 'application/json' };
      return (
        await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      ).status;
    },
  };
}

(postgresPrograms === undefined ? test.skip : test)(
  'a base backup and an archive of the WAL restore the moment before a wrong deletion',
  async () => {
    const cluster = join(folder, 'cluster');
    const backup = join(folder, 'backup');
    for (const path of [cluster, backup, archive]) await makeFolder(path);
    await run('initdb', '-D', cluster, '-U', 'postgres', '--auth=trust', '-E', 'UTF8');
    writeFileSync(
      join(cluster, 'archive.conf'),
      operatorFile('postgresql/archive.conf', {
        'pgbackrest --stanza=portico archive-push %p': `cp %p ${archive}/%f`,
      }),
    );
    appendFileSync(join(cluster, 'postgresql.conf'), "\ninclude = 'archive.conf'\nfsync = off\n");
    const port = await freeListenPort();
    const server = serverOf(cluster, port);
    running.server = server;
    await server.start();
    await query(port, 'create database portico');
    await run(
      'pg_basebackup',
      '-D',
      backup,
      '-c',
      'fast',
      '-X',
      'stream',
      '-d',
      `host=127.0.0.1 port=${port} user=postgres`,
    );

    const before = await startGateway(port);
    // Acknowledged after the base backup: it is in the archive alone.
    expect(await before.send('POST', '/user/repos', { name: 'kept', auto_init: true })).toBe(201);
    const [{ moment }] = await query(port, 'select clock_timestamp()::text as moment');
    expect(await before.send('DELETE', '/repos/wren/kept')).toBe(204);
    expect(await before.send('POST', '/user/repos', { name: 'later', auto_init: true })).toBe(201);
    const [{ segment }] = await query(port, 'select pg_walfile_name(pg_switch_wal()) as segment');
    for (const end = Date.now() + 60_000; ; await delay(50)) {
      const [{ last }] = await query(port, 'select last_archived_wal as last from pg_stat_archiver');
      if (last >= segment) break;
      if (Date.now() > end) throw new Error(`The archive ends at ${last}, before ${segment}.`);
    }
    await before.program.remove();
    await server.kill();

    // As docs/operations.md says: the last backup, the archive, and a moment.
    appendFileSync(
      join(backup, 'postgresql.conf'),
      `\nrestore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${moment}'\nrecovery_target_action = 'promote'\n`,
    );
    writeFileSync(join(backup, 'recovery.signal'), '');
    if (account) await execute('chown', ['-R', `${account.uid}:${account.gid}`, backup]);
    const restoredPort = await freeListenPort();
    const restored = serverOf(backup, restoredPort);
    running.server = restored;
    await restored.start();
    expect(restored.log).toMatch(/recovery stopping before commit/);

    const after = await startGateway(restoredPort, before.token);
    expect(await after.send('GET', '/repos/wren/kept')).toBe(200);
    expect(await after.send('GET', '/repos/wren/kept/contents/README.md')).toBe(200);
    expect(await after.send('GET', '/repos/wren/later')).toBe(404);
    expect(await after.send('POST', '/user/repos', { name: 'after', auto_init: true })).toBe(201);
  },
);
