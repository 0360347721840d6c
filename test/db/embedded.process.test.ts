import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { Client } from 'pg';
import { EmbeddedInUseError, type EmbeddedServer, openEmbedded } from '../../src/db/embedded.ts';
import { isAlive, readPidFile } from '../../src/db/embedded-pid.ts';

const asRoot = process.geteuid?.() === 0;
jest.setTimeout(90_000); // initdb: 1 s on an idle machine, 10 s seen with five processes per core

const onlyOnLinux = process.platform === 'linux' ? test : test.skip;
const onlyAsRoot = asRoot ? test : test.skip;
// Another user cannot run programs of a checkout that only root may enter (/root, or a folder of mktemp).
const onlyWhereOthersMayEnter = asRoot && isOpenToAll(process.execPath) ? test : test.skip;

let home: string; // open to everyone, so that the account under root can pass
let data: string;
let log: string[];
const servers: EmbeddedServer[] = [];
const children: ChildProcess[] = [];

// One new cluster is created and copied, which takes a tenth of the time of initdb. cpSync would take longer than initdb.
let model: string;

beforeAll(async () => {
  newHome();
  await (await open()).stop();
  model = home;
});

afterAll(() => fs.rmSync(model, { recursive: true }));

beforeEach(() => {
  newHome();
  execFileSync('cp', ['-a', join(model, 'data'), data]);
});

function newHome(): void {
  home = fs.mkdtempSync(join(tmpdir(), 'portico-embedded-'));
  fs.chmodSync(home, 0o755);
  data = join(home, 'data');
  log = [];
}

afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  for (const server of servers.splice(0)) await server.stop();
  const left = fs.existsSync(data) ? postmaster() : undefined;
  if (left !== undefined && isAlive(left)) {
    process.kill(left, 'SIGQUIT');
    await until('the server that a test left behind ends', () => !isAlive(left));
    fs.rmSync(home, { recursive: true });
    throw new Error(`a server was left behind (process ${left})`);
  }
  fs.rmSync(home, { recursive: true });
});

test('the first start creates a database, and the next one finds its rows', async () => {
  fs.rmSync(data, { recursive: true });
  const first = await open();
  await query(first.url, 'create table note (text text)');
  await query(first.url, `insert into note values ('ÄPFEL')`);
  await first.stop();
  expect(postmaster()).toBeUndefined();

  const again = await open();
  expect(again.owned).toBe(true);
  expect(await query(again.url, `select text from note where text ilike 'äpf%'`)).toEqual([{ text: 'ÄPFEL' }]);
});

test('the server listens on loopback only, requires the password, and uses UTF-8 and UTC', async () => {
  const { url } = await open();
  expect(fs.statSync(join(data, 'postgres.password')).mode & 0o777).toBe(0o600);
  expect(fs.statSync(data).mode & 0o007).toBe(0);
  expect(url).toContain(fs.readFileSync(join(data, 'postgres.password'), 'utf8').trim());
  await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow('password authentication failed');
  const facts = `select current_setting('listen_addresses') addresses, current_setting('unix_socket_directories') sockets,
    current_setting('timezone') zone, current_setting('server_encoding') encoding, current_setting('data_checksums') sums`;
  expect(await query(url, facts)).toEqual([
    { addresses: '127.0.0.1', sockets: '', zone: 'UTC', encoding: 'UTF8', sums: 'on' },
  ]);
});

test('a second gateway is refused with instructions', async () => {
  const { url } = await open();
  const second = open();
  await expect(second).rejects.toThrow(EmbeddedInUseError);
  await expect(second).rejects.toThrow(data);
  await expect(second).rejects.toThrow(/Stop that one.*PORTICO_DATA.*DATABASE_URL/);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('of gateways that start at the same time exactly one succeeds, on an empty folder and on a stopped cluster', async () => {
  fs.rmSync(data, { recursive: true });
  for (const round of ['empty', 'stopped']) {
    const answers = await Promise.all([0, 1, 2].map(() => start()));
    const owners = answers.filter(({ said }) => said.owned === true);
    expect({ round, owners: owners.length }).toEqual({ round, owners: 1 });
    for (const { said } of answers) if (said.owned !== true) expect(said.error).toBe('EmbeddedInUseError');
    expect(await query(String(owners[0]?.said.url), 'select 1 as one')).toEqual([{ one: 1 }]);
    owners[0]?.child.stdin?.write('leave\n');
    await until('the server ends with its owner', () => postmaster() === undefined);
    expect(fs.readdirSync(data).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);
  }
});

test('a command line uses the server of the gateway, and leaves it running', async () => {
  const owner = await open();
  const joined = await open('join');
  expect(joined).toMatchObject({ owned: false, url: owner.url });
  await joined.stop();
  expect(await query(owner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a command line without a gateway owns the server until it ends', async () => {
  const joined = await open('join');
  expect(joined.owned).toBe(true);
  const gateway = await open();
  await joined.stop();
  expect(await query(gateway.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await gateway.stop();
  expect(postmaster()).toBeUndefined();
});

test('a gateway that stops leaves the server to a running command line, which stops it when it ends', async () => {
  const gateway = await open();
  const joined = await open('join');
  await gateway.stop();
  expect(await query(joined.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await joined.stop();
  expect(postmaster()).toBeUndefined();
});

test('a session that ends a moment after its process does not keep the server running', async () => {
  const gateway = await open();
  const orphan = new Client(gateway.url.replace(/portico$/, 'postgres'));
  await orphan.connect();
  // The lock that every process holds which uses the server.
  await orphan.query('select pg_advisory_lock_shared($1, 2)', [0x504f5254]);
  const stopped = gateway.stop();
  await until('the gateway has tried to be the last one', async () => {
    const { rowCount } = await orphan.query(
      `select from pg_stat_activity where application_name = 'portico claim' and query like '%pg_try_advisory_lock(%' and state = 'idle'`,
    );
    return rowCount === 1;
  });
  await orphan.end();
  await stopped;
  expect(postmaster()).toBeUndefined();
  expect(log.filter(line => line.includes('keeps running'))).toEqual([]);
});

test('the server of a killed gateway is adopted by the next one, which stops it', async () => {
  const { child, said } = await start();
  await query(String(said.url), 'create table kept ()');
  const pid = postmaster();
  child.kill('SIGKILL');
  await once(child, 'exit');

  const server = await open();
  expect(server).toMatchObject({ owned: true, url: said.url });
  expect(postmaster()).toBe(pid);
  expect(await query(server.url, 'select from kept')).toEqual([]);
  await server.stop();
  expect(postmaster()).toBeUndefined();
  await until('nothing is left of its process', () => pid === undefined || !isAlive(pid));
});

test('after a kill of gateway and server the next start succeeds', async () => {
  const { child, said } = await start();
  await query(String(said.url), 'create table kept ()');
  kill();
  child.kill('SIGKILL');
  const server = await open();
  expect(await query(server.url, 'select from kept')).toEqual([]);
});

test('a killed server is restarted on the same port, and the folder stays owned', async () => {
  const server = await open();
  await query(server.url, 'create table kept ()');
  for (const round of [1, 2]) {
    const pid = kill();
    await until('the database answers again', async () => (await query(server.url, 'select from kept')).length === 0);
    await until('the lock is taken again', () => log.filter(line => line.includes('is back')).length === round);
    expect(postmaster()).not.toBe(pid);
  }
  await expect(open()).rejects.toThrow(EmbeddedInUseError);
});

onlyOnLinux('a statement that outlives its server does not hold up the next start', async () => {
  const server = await open();
  const busy = query(server.url, `set statement_timeout = '60s'; do $$ begin loop end loop; end $$`).catch(
    () => 'ended',
  );
  await until('the statement runs', async () => {
    const found = await query(
      server.url,
      `select from pg_stat_activity where state = 'active' and query like 'set st%'`,
    );
    return found.length === 1;
  });
  const began = Date.now();
  kill();
  await until('the lock is taken again', () => log.some(line => line.includes('is back')));
  expect(Date.now() - began).toBeLessThan(25_000);
  expect(await busy).toBe('ended');
});

test('a lost lease session is replaced without a restart of the server', async () => {
  const server = await open();
  const pid = postmaster();
  await query(
    server.url,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'portico claim'`,
  );
  await until('the lock is taken again', () => log.some(line => line.includes('is back')));
  expect(postmaster()).toBe(pid);
  await expect(open()).rejects.toThrow(EmbeddedInUseError);
});

test('a pid file whose process id and port now belong to other processes does not prevent the start', async () => {
  await (await open()).stop();
  const { uid, gid } = fs.statSync(join(data, 'postgres'));
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(asRoot ? { uid, gid } : {}) });
  children.push(stranger);
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const lines = [stranger.pid, join(data, 'postgres'), 1_700_000_000, port, '', '127.0.0.1', ' 123 456', 'ready', ''];
    const file = join(data, 'postgres', 'postmaster.pid');
    fs.writeFileSync(file, lines.join('\n'), { mode: 0o600 });
    fs.chownSync(file, uid, gid);
    const server = await open();
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(new URL(server.url).port).not.toBe(String(port));
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  } finally {
    listener.close();
  }
});

test('the unfinished folder of a killed first start is removed', async () => {
  const dead = spawn('true');
  await once(dead, 'exit');
  fs.rmSync(data, { recursive: true });
  const leftover = join(data, `postgres.new-${dead.pid}-0123456789ab`);
  fs.mkdirSync(join(leftover, 'cluster'), { recursive: true });
  await open();
  expect(fs.existsSync(leftover)).toBe(false);
});

test('a process that exits without stop, or dies of a signal, leaves no server running', async () => {
  for (const signal of [null, 'SIGINT', 'SIGTERM'] as const) {
    const { child, said } = await start('join');
    expect(said.owned).toBe(true);
    if (signal === null) child.stdin?.write('leave\n');
    else child.kill(signal);
    await once(child, 'exit');
    expect(child.signalCode).toBe(signal);
    await until('the server ends', () => postmaster() === undefined);
  }
});

test('a server that cannot start is reported with the last lines of its log', async () => {
  await expect(open('own', { wal_level: 'nonsense' })).rejects.toThrow(
    /did not start.*invalid value for parameter "wal_level"/s,
  );
});

onlyAsRoot('root can work in a folder that only root can enter', async () => {
  fs.chmodSync(home, 0o700);
  fs.rmSync(data, { recursive: true });
  const server = await open();
  await query(server.url, 'create table kept ()');
  const pid = kill();
  await until('the database answers again', async () => (await query(server.url, 'select from kept')).length === 0);
  await until('the lock is taken again', () => log.some(line => line.includes('is back')));
  expect(fs.statSync(`/proc/${postmaster()}/cwd`).uid).not.toBe(0);
  expect(postmaster()).not.toBe(pid);
});

onlyAsRoot('a cluster that was restored as root is handed to the account of the server', async () => {
  execFileSync('chown', ['-R', '0:0', data]);
  const server = await open();
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

onlyWhereOthersMayEnter(
  'an ordinary user is told whose database it is, and root works on with an ordinary user’s',
  async () => {
    await (await open()).stop();
    fs.chmodSync(data, 0o755);
    const { said } = await start('own', { uid: 65534, gid: 65534 });
    expect(said.message).toMatch(/belongs to uid \d+, and this process is uid 65534.*chown -R.*PORTICO_DATA/);

    fs.rmSync(data, { recursive: true });
    fs.mkdirSync(data, { mode: 0o755 });
    fs.chownSync(data, 65534, 65534);
    const { child } = await start('own', { uid: 65534, gid: 65534 });
    child.stdin?.write('leave\n');
    await until('the server ends with its owner', () => postmaster() === undefined);
    await (await open()).stop();
    expect(fs.statSync(join(data, 'postgres', 'PG_VERSION')).uid).toBe(65534);
  },
);

function isOpenToAll(file: string): boolean {
  const { status } = spawnSync(file, ['--version'], { uid: 65534, gid: 65534, cwd: '/' });
  return status === 0;
}

async function open(mode: 'own' | 'join' = 'own', settings: Record<string, string> = {}): Promise<EmbeddedServer> {
  const note = (message: string) => void log.push(message);
  const server = await openEmbedded({
    dataFolder: data,
    mode,
    log: { info: note, warn: note, error: note },
    settings: { fsync: 'off', ...settings },
  });
  servers.push(server);
  return server;
}

/** Opens the folder in another process; `said` is the line of JSON that it prints. */
async function start(mode: 'own' | 'join' = 'own', user: { uid?: number; gid?: number } = {}) {
  const script = fileURLToPath(new URL('embedded-owner.ts', import.meta.url));
  const child = spawn(process.execPath, [script, data, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    ...user,
  });
  children.push(child);
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
  const said: Record<string, unknown> = JSON.parse(String(line));
  return { child, said };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

function postmaster(): number | undefined {
  return readPidFile(join(data, 'postgres'))?.pid;
}

function kill(): number {
  const pid = postmaster();
  if (pid === undefined) throw new Error('no server to kill');
  process.kill(pid, 'SIGKILL');
  return pid;
}

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  let last: unknown;
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await delay(25)) {
    try {
      if (await check()) return;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`in 30 s it did not happen that ${what}`, { cause: last });
}
