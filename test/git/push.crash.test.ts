import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { findOrphans, readPidFile, signalProcess } from '../../src/db/embedded-pid.ts';
import { exportRepository } from '../../src/git/export-repository.ts';
import { walkHistory } from '../../src/git/history.ts';
import { hashObject } from '../../src/git/object.ts';
import { reachableObjects } from '../../src/git/reachable.ts';
import { findObjects, readCommit, readTree, statObjects } from '../../src/git/read-objects.ts';
import { listRefs, readRef } from '../../src/git/refs.ts';
import { openRepository, type Repository, unlimitedSource } from '../../src/git/repository.ts';
import { findEntry, pathParts } from '../../src/git/tree-path.ts';
import { demoOf } from '../harness/hosting.ts';
import { Program } from '../harness/program.ts';
import { testSecret } from '../harness/secret.ts';
import { numbers } from './random-history.ts';
import { folder, SystemGit } from './worlds.ts';

/** Number of kills of each kind: of a gateway, and of PostgreSQL with all its processes. */
const rounds = 10;
const branches = ['main', 'side'];
const writersOfBranch = 2;
const timeoutMs = 60_000;

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, timeoutMs);

const home = mkdtempSync(join(tmpdir(), 'portico-crash-'));
closing.push(() => rmSync(home, { recursive: true, force: true }));
const silent = { info() {}, warn() {}, error() {} };
// As in production: PostgreSQL confirms a commit only after it has reached the disk.
const server = await openEmbedded({ dataFolder: home, mode: 'own', log: silent });
closing.push(() => server.stop());

interface Gateway {
  program: Program;
  url: string;
}

async function startGateway(): Promise<Gateway> {
  const program = new Program({ DATABASE_URL: server.url, SECRET_KEY: testSecret, RATE_LIMIT_FACTOR: 'off' });
  closing.push(() => program.remove());
  const [, url = ''] = await program.printed(/(http:\/\/[^\s/]+)\/api\/v1/, timeoutMs);
  return { program, url };
}

interface Acknowledged {
  branch: string;
  path: string;
  commit: string;
}

/** Writers of files in endless loops; when a gateway does not answer, the writer tries another file at the next one. */
class Writers {
  readonly acknowledged: Acknowledged[] = [];
  readonly strange: string[] = [];
  readonly #gateways: readonly Gateway[];
  readonly #authorization: string;
  #made = 0;

  constructor(gateways: readonly Gateway[], token: string) {
    this.#gateways = gateways;
    this.#authorization = `Bearer ${token}`;
  }

  /** Writes until so many more files are acknowledged, calls `then` half-way, and stops every writer. */
  async writeUntil(count: number, then: () => unknown): Promise<void> {
    const enough = this.acknowledged.length + count;
    const deadline = Date.now() + timeoutMs;
    let isOver = false;
    const write = async (branch: string, at: number): Promise<void> => {
      for (let turn = at; !isOver; turn++) {
        if (await this.#write(branch, turn)) continue;
        if (Date.now() > deadline) throw new Error(`Nobody could write any more: ${this.strange.at(-1)}`);
        await delay(20);
      }
    };
    const writers = branches.flatMap(branch => Array.from({ length: writersOfBranch }, (_, at) => write(branch, at)));
    const ended = Promise.all(writers);
    ended.catch(() => {});
    while (this.acknowledged.length < enough && Date.now() < deadline) await delay(1);
    await then();
    isOver = true;
    await ended;
  }

  async #write(branch: string, turn: number): Promise<boolean> {
    const gateway = this.#gateways[turn % this.#gateways.length];
    const path = `by/${branch}/${this.#made++}`;
    try {
      const response = await fetch(`${gateway?.url}/repos/harbor-lab/compass/contents/${path}`, {
        method: 'PUT',
        headers: { 'user-agent': 'portico tests', authorization: this.#authorization },
        body: JSON.stringify({ message: path, content: Buffer.from(path).toString('base64'), branch }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { commit, message } = (await response.json()) as { commit?: { sha: string }; message?: string };
      if (response.status === 201 && commit) this.acknowledged.push({ branch, path, commit: commit.sha });
      // A conflict caused by a writer whose gateway is gone, or an unavailable database.
      else if (![409, 500, 503].includes(response.status)) this.strange.push(`${response.status} ${message}`);
      return response.status === 201;
    } catch {
      // Connection reset or refused.
      return false;
    }
  }
}

async function untilBack(database: Database): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; ; await delay(10)) {
    try {
      await database.read(sql`select 1`);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

function killPostgres(): void {
  const cluster = join(home, 'postgres');
  const pid = readPidFile(cluster)?.pid;
  if (pid === undefined) throw new Error('There is no PostgreSQL to kill.');
  signalProcess(pid, 'SIGKILL');
  // Ends all processes at once; otherwise each would notice the loss by itself.
  for (const orphan of findOrphans(cluster)) signalProcess(orphan, 'SIGKILL');
}

/** The commits of a branch beyond those of the demo data, newest first. */
async function chainOf(repository: Repository, branch: string, before: ReadonlySet<string>): Promise<string[]> {
  const tip = await readRef(repository, `refs/heads/${branch}`);
  const chain: string[] = [];
  for await (const { oid } of walkHistory(repository, [tip ?? ''])) if (!before.has(oid)) chain.push(oid);
  return chain;
}

/** No acknowledged commit is lost, none exists twice or incompletely, and every object that a ref needs exists. */
async function check(repository: Repository, { acknowledged }: Writers, kills: number, before: ReadonlySet<string>) {
  for (const branch of branches) {
    const chain = await chainOf(repository, branch, before);
    const messages: string[] = [];
    for (const oid of chain) messages.push((await readCommit(repository, oid)).message.toString());
    expect(new Set(messages).size).toBe(messages.length);
    const theirs = acknowledged.filter(one => one.branch === branch);
    expect(theirs.filter(({ path, commit }) => messages[chain.indexOf(commit)] !== path)).toEqual([]);
    // Other commits are those whose response was lost: at most one per writer and kill.
    expect(chain.length - theirs.length).toBeLessThanOrEqual(writersOfBranch * kills);
    const { tree } = await readCommit(repository, chain[0] ?? '');
    const files = await findEntry(repository, tree, pathParts(`by/${branch}`));
    const names = (await readTree(repository, files?.oid ?? '')).entries.map(({ name }) => `by/${branch}/${name}`);
    expect(names.sort()).toEqual(messages.sort());
  }
  const tips = (await listRefs(repository, { limit: 100 })).map(({ oid }) => oid);
  const reached: string[] = [];
  for await (const { oid } of reachableObjects(repository, tips)) reached.push(oid);
  expect((await statObjects(repository, reached)).size).toBe(reached.length);
}

test('gateways and PostgreSQL are killed at any time: no acknowledged commit is lost or incomplete', async () => {
  const gateways = [await startGateway()];
  gateways.push(await startGateway());
  const database = await openDatabase({ url: server.url, poolSize: 2, statementTimeoutMs: 30_000 });
  closing.push(() => database.close());
  const { wren } = (await demoOf({ database })).users;
  const [row] = await database.read(sql<{ id: number }>`
    insert into git_ref (repository_id, name, oid)
    select r.id, 'refs/heads/side', g.oid from repository r join account o on o.id = r.owner_id
    join git_ref g on g.repository_id = r.id and g.name = 'refs/heads/main'
    where o.login = 'harbor-lab' and r.name = 'compass' returning repository_id as id`);
  const id = row?.id ?? 0;
  // A new context each time, so that everything is read from the database and not from a cache.
  const cold = (): Repository =>
    openRepository(
      unlimitedSource(query => database.read(query)),
      id,
    );
  const before = new Set(await chainOf(cold(), 'main', new Set()));
  const writers = new Writers(gateways, wren.classic_token);
  const pick = numbers(4);
  for (let round = 0; round < rounds; round++) {
    let starting: Promise<Gateway> | undefined;
    await writers.writeUntil(5 + pick(25), async () => {
      const victim = gateways[round % 2];
      victim?.program.signal('SIGKILL');
      expect(await victim?.program.ended()).toBe('SIGKILL');
      starting = startGateway();
    });
    await check(cold(), writers, 2 * round + 1, before);
    if (starting) gateways[round % 2] = await starting;
    await writers.writeUntil(5 + pick(25), async () => {
      await delay(pick(10));
      killPostgres();
    });
    await untilBack(database);
    await check(cold(), writers, 2 * round + 2, before);
  }
  expect(writers.strange).toEqual([]);
  const repository = cold();
  const all = await database.read(
    sql<{ oid: string }>`select encode(oid, 'hex') as oid from git_object where repository_id = ${id}`,
  );
  for (const [oid, { type, content }] of await findObjects(
    repository,
    all.map(one => one.oid),
  )) {
    expect(hashObject(type, content)).toBe(oid);
  }
  const git = new SystemGit(folder());
  await exportRepository(repository, git.path);
  git.run('fsck', '--strict', '--full');
}, 600_000);
