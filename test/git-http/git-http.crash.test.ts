import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/database.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { findOrphans, readPidFile, signalProcess } from '../../src/db/embedded-pid.ts';
import { numbers } from '../git/random-history.ts';
import { demoOf } from '../harness/hosting.ts';
import { Program } from '../harness/program.ts';
import { testSecret } from '../harness/secret.ts';
import { Clone, remoteUrl } from './git-client.ts';

/** What is killed, in turn, while pushes and clones run. */
const victims = ['gateway', 'git', 'postgres'] as const;
const kills = 21;
const pushers = 3;
const timeoutMs = 60_000;

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, timeoutMs);

const home = mkdtempSync(join(tmpdir(), 'portico-git-crash-'));
closing.push(() => rmSync(home, { recursive: true, force: true }));
const silent = { info() {}, warn() {}, error() {} };
const server = await openEmbedded({ dataFolder: home, mode: 'own', log: silent });
closing.push(() => server.stop());
const data = join(home, 'data');

interface Gateway {
  program: Program;
  url: string;
}

async function startGateway(): Promise<Gateway> {
  const program = new Program({
    DATABASE_URL: server.url,
    SECRET_KEY: testSecret,
    RATE_LIMIT_FACTOR: 'off',
    PORTICO_DATA: data,
  });
  closing.push(() => program.remove());
  const [, url = ''] = await program.printed(/(http:\/\/[^\s/]+)\/api\/v1/, timeoutMs);
  return { program, url };
}

function killPostgres(): void {
  const cluster = join(home, 'postgres');
  const pid = readPidFile(cluster)?.pid;
  if (pid === undefined) throw new Error('There is no PostgreSQL to kill.');
  signalProcess(pid, 'SIGKILL');
  for (const orphan of findOrphans(cluster)) signalProcess(orphan, 'SIGKILL');
}

/** git processes that work below the data folder of the gateway. */
function serverGits(): number[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const folder = execFileSync('readlink', [`/proc/${name}/cwd`]).toString();
      const [program = ''] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return folder.startsWith(join(data, 'git')) && /(^|\/)git$/.test(program) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Waits for a git process of the server, at most a second: a push may be too fast to be caught. */
async function killGit(): Promise<void> {
  for (const end = Date.now() + 1_000; Date.now() < end; await delay(1)) {
    const [pid] = serverGits();
    if (pid === undefined) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue;
    }
    return;
  }
}

test('gateways, git and PostgreSQL are killed during pushes and clones: what was acknowledged is there, nothing is half', async () => {
  let gateway = await startGateway();
  const database = await openDatabase({ url: server.url, poolSize: 2, statementTimeoutMs: 30_000 });
  closing.push(() => database.close());
  const { wren } = (await demoOf({ database })).users;
  const token = wren.classic_token;
  const url = (): string => remoteUrl(gateway.url, 'harbor-lab/compass', token);
  const pick = numbers(7);
  /** Branches with the id that was acknowledged last. */
  const acknowledged = new Map<string, string>();
  let isOver = false;
  let pushed = 0;

  /** Pushes commits of some files, one after the other, to a branch of its own. */
  const pusher = async (at: number): Promise<void> => {
    const clone = await Clone.of(url());
    await clone.run('checkout', '-q', '-b', `pusher-${at}`);
    for (let turn = 0; !isOver; turn++) {
      const files = Array.from({ length: 1 + pick(30) }, (_, n) => [
        `${turn}/${n}`,
        `${at} ${turn} ${n}\n`.repeat(200),
      ]);
      const oid = await clone.commit(Object.fromEntries(files), `${turn}`);
      for (;;) {
        const { code } = await clone.attempt('push', '-q', url(), `pusher-${at}`);
        if (code === 0) break;
        // The answer may be lost after the commit, then the ref is there already.
        const { stdout } = await clone.attempt('ls-remote', url(), `refs/heads/pusher-${at}`);
        if (stdout.startsWith(oid)) break;
        if (isOver) return;
        await delay(50);
      }
      acknowledged.set(`refs/heads/pusher-${at}`, oid);
      pushed++;
    }
  };
  const cloner = async (): Promise<void> => {
    while (!isOver) {
      const clone = new Clone();
      const { code } = await clone.attempt('clone', '-q', '--mirror', url(), '.');
      // What git takes for complete is complete.
      if (code === 0) await clone.run('fsck', '--strict', '--full');
      else await delay(50);
      rmSync(clone.path, { recursive: true, force: true });
    }
  };
  const work = Promise.all([...Array.from({ length: pushers }, (_, at) => pusher(at)), cloner()]);
  work.catch(() => {});

  for (let kill = 0; kill < kills; kill++) {
    const before = pushed;
    for (const end = Date.now() + timeoutMs; pushed < before + 2 && Date.now() < end; ) await delay(5);
    expect(pushed).toBeGreaterThan(before);
    await delay(pick(200));
    const victim = victims[kill % victims.length];
    if (victim === 'git') await killGit();
    else if (victim === 'postgres') killPostgres();
    else {
      gateway.program.signal('SIGKILL');
      expect(await gateway.program.ended()).toBe('SIGKILL');
      gateway = await startGateway();
    }
  }
  isOver = true;
  await work;
  // PostgreSQL was killed last.
  for (const end = Date.now() + timeoutMs; ; await delay(20)) {
    const isBack = await database.read(sql`select 1`).then(
      () => true,
      () => false,
    );
    if (isBack || Date.now() > end) break;
  }

  const rows = await database.read(sql<{ name: string; oid: string }>`
    select g.name, encode(g.oid, 'hex') as oid from git_ref g join repository r on r.id = g.repository_id
    join account o on o.id = r.owner_id where o.login = 'harbor-lab' and r.name = 'compass' and g.name like 'refs/heads/pusher-%'`);
  expect(new Map(rows.map(({ name, oid }) => [name, oid]))).toEqual(acknowledged);
  const mirror = await Clone.of(url(), '--mirror');
  await mirror.run('fsck', '--strict', '--full');
  for (const [name, oid] of acknowledged) expect(await mirror.run('rev-parse', name)).toBe(oid);
  // Nothing of the pushes that failed is stored.
  const reachable = new Set((await mirror.run('rev-list', '--objects', '--no-object-names', '--all')).split('\n'));
  const stored = await database.read(sql<{ oid: string }>`
    select encode(g.oid, 'hex') as oid from git_object g join repository r on r.id = g.repository_id
    join account o on o.id = r.owner_id where o.login = 'harbor-lab' and r.name = 'compass'`);
  expect(stored.filter(({ oid }) => !reachable.has(oid))).toEqual([]);
  // Folders of gateways that were killed are deleted by later ones; processes of theirs are gone.
  expect(serverGits()).toEqual([]);
}, 600_000);
