import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type AlternatingRound, alternatingRounds, type Contestant, type SentRequest } from './alternating-rounds.ts';
import type { BenchOptions, BenchResult } from './benchmark.ts';
import { contentsFile } from './contents-world.ts';
import { formatTable, median, type Spread, showSpread, spreadOf } from './figures.ts';
import { currentLoad } from './machine.ts';
import { listDocumentRequest } from './peers.ts';
import type { Pinning } from './pinning.ts';
import { postgresCpu } from './postgres-cpu.ts';
import { asReader } from './reader.ts';
import { type Server, startServer } from './server.ts';

/** A ratio above it is a regression if no round of the one overlaps with a round of the other. */
const maxRatio = 1.1;

const root = join(import.meta.dirname, '..');

/** What is compared: one request each. A poll repeats the ETag of the first answer and gets 304. */
const subjects: Record<string, () => Promise<{ request: SentRequest; startsWith: string; isPoll?: boolean }>> = {
  list: async () => ({ request: { path: '/api/v1/articles/?page=3' }, startsWith: '{"count":' }),
  detail: async () => ({ request: { path: '/api/v1/articles/30/' }, startsWith: '{"id":30,' }),
  poll: async () => ({
    request: { path: '/repositories/1/events', headers: { 'user-agent': 'bench' } },
    startsWith: '',
    isPoll: true,
  }),
  contents: async () => ({
    request: {
      path: `/repos/${contentsFile.repository}/contents/${contentsFile.path}`,
      headers: { 'user-agent': 'bench' },
    },
    startsWith: '{"type":"file"',
  }),
  dashboard: async () => ({
    request: { path: '/api/v1/health/dashboard/', headers: { ...(await asReader()) } },
    startsWith: '{"generated_at":',
  }),
  graphql: async () => ({ request: listDocumentRequest(3), startsWith: '{"data":{"articles":' }),
};

export const comparable = Object.keys(subjects);

/** What is needed around a comparison. */
interface Around {
  /** Of a PostgreSQL server in which databases may be created. */
  url: string;
  pinning: Pinning | undefined;
  options: BenchOptions;
  onEnd(undo: () => void | Promise<void>): void;
}

/** A built tree with a database of its own. */
interface Tree {
  label: string;
  folder: string;
  database: string;
}

/**
 * Compares the working tree with the commit `ref`, which is built in a temporary worktree. Each tree fills a database of its own
 * and runs its own gateway. Every round starts both anew: of two processes with the same code one can be a tenth slower for its
 * lifetime. A regression is in `missed`.
 *
 * @throws for an unknown ref, or a ref that does not build
 */
export async function compareWith(ref: string, names: readonly string[], around: Around): Promise<BenchResult> {
  const { url, pinning, options } = around;
  const { rounds = 5, seconds = 3, warmUp = 2_000 } = options;
  const commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  const before: Tree = {
    label: commit.slice(0, 10),
    folder: await checkOut(commit, around),
    database: 'compare_before',
  };
  const now: Tree = { label: 'working tree', folder: root, database: 'compare_now' };
  for (const tree of [before, now]) await prepareDatabase(tree, url);
  const databaseCpu = await postgresCpu(url);
  const chosen = names.length > 0 ? names : comparable;
  const measured = new Map<string, Map<string, AlternatingRound[]>>();
  const failed = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const trees = round % 2 === 0 ? [before, now] : [now, before];
    const servers: Server[] = [];
    const stop = async (): Promise<void> => void (await Promise.all(servers.splice(0).map(server => server.stop())));
    around.onEnd(stop);
    try {
      for (const tree of trees) servers.push(await startGatewayOf(tree, url, pinning));
      for (const name of chosen) {
        if (failed.has(name)) continue;
        try {
          const contestants = await Promise.all(
            trees.map((tree, at) => contestantOf(name, tree.label, servers[at] as Server)),
          );
          const found = await alternatingRounds(contestants, { warmUp, rounds: 1, seconds, databaseCpu });
          const kept = measured.get(name) ?? new Map<string, AlternatingRound[]>();
          measured.set(name, kept);
          for (const [label, [one]] of found) if (one) kept.set(label, [...(kept.get(label) ?? []), one]);
        } catch (error) {
          // A request that one of the trees does not know cannot be compared; the others can.
          failed.set(name, (error as Error).message.slice(0, 300));
          measured.delete(name);
        }
      }
    } finally {
      await stop();
    }
  }
  return show({ before, now, rounds, seconds, warmUp }, measured, failed);
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Checks the commit out beside the repository's other worktrees and builds it. Returns its folder. */
async function checkOut(commit: string, { onEnd }: Around): Promise<string> {
  const parent = mkdtempSync(join(tmpdir(), 'portico-compare-'));
  const folder = join(parent, 'tree');
  onEnd(() => {
    // Before `git worktree remove`, which would refuse a folder with the link in it.
    rmSync(parent, { recursive: true, force: true });
    git('worktree', 'prune');
  });
  git('worktree', 'add', '--quiet', '--detach', folder, commit);
  const lockfile = (tree: string): string => readFileSync(join(tree, 'package-lock.json'), 'utf8');
  if (lockfile(folder) === lockfile(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // With the types that the build needs, which are devDependencies.
  else await run('npm', ['ci', '--include=dev', '--ignore-scripts', '--prefer-offline'], folder);
  await run(process.execPath, [join(folder, 'scripts', 'build.ts')], folder);
  return folder;
}

/** Fills the tree's database by its own code, so that its schema and data fit it. */
async function prepareDatabase({ folder, database }: Tree, url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${database}`);
  await client.end();
  const [articles, contents] = ['world', 'contents-world'].map(name => benchFile(folder, name));
  const program = `
    const { prepareWorld } = await import(${JSON.stringify(articles)});
    const { prepareContents } = await import(${JSON.stringify(contents)});
    await prepareWorld(process.argv[1]);
    await prepareContents(process.argv[1]);`;
  await run(process.execPath, ['--input-type=module', '--eval', program, urlOf(url, database)], folder);
}

const urlOf = (url: string, database: string): string => url.replace(/[^/]*$/, database);

/** A file of a tree's `bench/`, in the folder in which it is there. */
function benchFile(tree: string, name: string): string {
  const places = ['worlds', 'servers', '.'].map(folder => join(tree, 'bench', folder, `${name}.ts`));
  const found = places.find(place => existsSync(place));
  if (found === undefined) throw new Error(`${tree} has no ${name}.ts in bench/.`);
  return found;
}

function startGatewayOf({ folder, database }: Tree, url: string, pinning: Pinning | undefined): Promise<Server> {
  return startServer('gateway', urlOf(url, database), pinning, benchFile(folder, 'server-process'));
}

async function contestantOf(name: string, label: string, server: Server): Promise<Contestant> {
  const subject = await subjects[name]?.();
  if (!subject) throw new Error(`There is nothing called ${name} to compare.`);
  const { request, startsWith, isPoll } = subject;
  const { path, ...init } = request;
  const response = await fetch(`${server.address}${path}`, init);
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`${label} answers ${path} with ${response.status}: ${text.slice(0, 200)}`);
  if (!isPoll) return { label, server, requests: [request], startsWith };
  const headers = { ...request.headers, 'if-none-match': response.headers.get('etag') ?? '' };
  return { label, server, requests: [{ ...request, headers }], startsWith, status: 304 };
}

/** @throws with the last lines of the output if the program fails */
function run(command: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ').slice(0, 200)} ended with ${code} in ${cwd}:\n${output}`));
    });
  });
}

function show(
  setting: { before: Tree; now: Tree; rounds: number; seconds: number; warmUp: number },
  measured: ReadonlyMap<string, ReadonlyMap<string, readonly AlternatingRound[]>>,
  failed: ReadonlyMap<string, string>,
): BenchResult {
  const { before, now, rounds, seconds, warmUp } = setting;
  const figures = [...measured].map(([name, byLabel]) => {
    const [old = [], current = []] = [before, now].map(({ label }) => byLabel.get(label) ?? []);
    const cpu = { before: spreadOf(old.map(one => one.cpu)), now: spreadOf(current.map(one => one.cpu)) };
    const ratios = spreadOf(current.map((one, at) => one.cpu / (old[at]?.cpu ?? Number.NaN)));
    const database = [old, current].map(all => median(all.flatMap(one => one.databaseCpu ?? [])));
    return {
      name,
      cpu,
      ratio: ratios,
      databaseRatio: (database[1] ?? Number.NaN) / (database[0] ?? Number.NaN),
      isRegression: isRegression(cpu, ratios.median),
    };
  });
  const head = ['', `${before.label}, µs`, `${now.label}, µs`, 'ratio', 'database CPU, ratio', ''];
  const rows = figures.map(one => [
    one.name,
    showSpread(one.cpu.before),
    showSpread(one.cpu.now),
    showSpread(one.ratio, 2),
    one.databaseRatio.toFixed(2),
    one.isRegression ? 'SLOWER' : '',
  ]);
  const text = [
    `\nserver CPU per request, ${now.label} over ${before.label}; ${rounds} rounds of ${seconds} s in turns, each in new processes after ${warmUp} requests of warm-up; load ${currentLoad()} at the end\n`,
    formatTable([head, ...rows]),
    ...[...failed].map(([name, message]) => `  ${name} cannot be compared: ${message}`),
  ];
  const missed = figures
    .filter(one => one.isRegression)
    .map(one => `compare: ${one.name}: ${one.ratio.median.toFixed(2)} times the CPU of ${before.label}`);
  return { text: text.join('\n'), missed, figures };
}

function isRegression(cpu: { before: Spread; now: Spread }, ratio: number): boolean {
  return ratio > maxRatio && cpu.now.low > cpu.before.high;
}
