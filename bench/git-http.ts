import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serveGit } from '../test/harness/git-http-backend.ts';
import type { BenchOptions, BenchPart } from './benchmark.ts';
import { history } from './git-import.ts';
import { emptyRepository, median, systemGit } from './git-world.ts';

/** Ratio of seconds to those of `git http-backend`, and seconds of a push. */
const bars = { warm: 1.5, cold: 4, fetch: 2, pushSeconds: 5 };
/** Commits of the repositories, which make about 28,000 and 200,000 objects. */
const repositories = { small: 3_600, large: 26_000 };
type Size = keyof typeof repositories;
/** Clones at the same time while memory is measured. */
const clones = 8;

/** Seconds of one operation, of the product and of git. */
interface Pair {
  portico: number;
  git: number;
}

interface Figures {
  objects: number;
  push: Pair[];
  cold: Pair[];
  warm: Pair[];
  fetch: Pair[];
  /** Resident memory of the gateway before eight clones run, and the highest while they run, in MB. */
  memory: { before: number; peak: number };
}

/**
 * Push, clone and fetch of the system's git against the product, as `npm start` runs it, and against `git http-backend` with a
 * repository on disk, in turns. Cold: the copy from which packs are made is deleted before each clone, as after a start.
 */
export const gitHttp: BenchPart = {
  name: 'git-http',
  about: 'push, clone and fetch over HTTP of repositories of 28,000 and 200,000 objects, and `git http-backend`',
  async measure(_url, _pinning, { rounds = 3, only = ['small', 'large'] }: BenchOptions = {}) {
    const data = mkdtempSync(join(tmpdir(), 'portico-bench-git-http-'));
    const gateway = await startProduct(data);
    try {
      const lines = [`  the gateway at rest: ${residentMb(gateway).toFixed(0)} MB`];
      const missed: string[] = [];
      for (const size of Object.keys(repositories) as Size[]) {
        if (!only.includes(size)) continue;
        const figures = await measureRepository(gateway, size, rounds);
        for (const [line, isReached] of judge(size, figures)) {
          lines.push(`  ${line}`);
          if (!isReached) missed.push(`git-http: ${line}`);
        }
      }
      return { text: [`\n${gitHttp.name}: ${gitHttp.about}\n`, ...lines].join('\n'), missed };
    } finally {
      gateway.process.kill('SIGTERM');
      await once(gateway.process, 'exit');
      rmSync(data, { recursive: true, force: true });
    }
  },
};

function judge(
  size: Size,
  { objects, push, cold, warm, fetch, memory }: Figures,
): [line: string, isReached: boolean][] {
  const ratio = (what: string, pairs: Pair[], bar: number): [string, boolean] => {
    const of = median(pairs.map(({ portico, git }) => portico / git));
    const seconds = (key: keyof Pair): string => median(pairs.map(one => one[key])).toFixed(2);
    const text = `${objects} objects, ${what}: portico ${seconds('portico')} s, git ${seconds('git')} s, ratio ${of.toFixed(2)}; the bar is ≤ ${bar}`;
    return [`${text}: ${of <= bar ? 'reached' : 'MISSED'}`, of <= bar];
  };
  const pushed = median(push.map(({ portico }) => portico));
  const reference = median(push.map(({ git }) => git)).toFixed(1);
  const isFast = size !== 'small' || pushed <= bars.pushSeconds;
  const bar = size === 'small' ? `; the bar is ≤ ${bars.pushSeconds} s: ${isFast ? 'reached' : 'MISSED'}` : '';
  return [
    [`${objects} objects, push: portico ${pushed.toFixed(1)} s, git ${reference} s${bar}`, isFast],
    ratio('cold clone', cold, bars.cold),
    ratio('warm clone', warm, bars.warm),
    ratio('fetch of 10 commits', fetch, bars.fetch),
    [
      `${objects} objects, ${clones} clones at a time: the gateway has at most ${memory.peak.toFixed(0)} MB, before ${memory.before.toFixed(0)} MB`,
      true,
    ],
  ];
}

interface Product {
  process: ChildProcess;
  origin: string;
  token: string;
  owner: string;
  data: string;
}

async function startProduct(data: string): Promise<Product> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'scripts', 'start.ts')], {
    env: {
      PATH: execFileSync('sh', ['-c', 'printf %s "$PATH"']).toString(),
      NODE_ENV: 'production',
      PORT: '0',
      PORTICO_DATA: data,
      RATE_LIMIT_FACTOR: 'off',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    const origin = /GraphQL\s+(http\S+)\/graphql/.exec(text)?.[1];
    if (origin === undefined) continue;
    const demo = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')) as {
      hosting: { users: Record<string, { classic_token: string }> };
    };
    const token = demo.hosting.users.wren?.classic_token ?? '';
    return { process: child, origin, token, owner: 'wren', data };
  }
  throw new Error(`The gateway did not start:\n${text}`);
}

async function measureRepository(product: Product, size: Size, rounds: number): Promise<Figures> {
  const source = emptyRepository();
  const peer = emptyRepository();
  const folders: string[] = [source, peer];
  const served = { [size]: peer };
  const server = await serveGit({ repositories: served });
  try {
    systemGit(source, ['fast-import', '--quiet', '--done'], history(repositories[size]));
    const objects = Number(/in-pack: (\d+)/.exec(systemGit(source, ['count-objects', '-v']))?.[1]);
    const figures: Figures = { objects, push: [], cold: [], warm: [], fetch: [], memory: { before: 0, peak: 0 } };
    let url = '';
    for (let round = 0; round < rounds; round++) {
      url = await newRepository(product, `${size}-${round}`);
      const empty = emptyRepository();
      folders.push(empty);
      systemGit(empty, ['config', 'http.receivepack', 'true']);
      served[size] = empty;
      figures.push.push({
        portico: await timed(source, ['push', '-q', url, 'main']),
        git: await timed(source, ['push', '-q', `${server.url}/${size}`, 'main']),
      });
    }
    const clone = (from: string): Promise<number> => {
      const to = mkdtempSync(join(tmpdir(), 'portico-bench-clone-'));
      return timed(to, ['clone', '-q', '--bare', from, '.']).finally(() => rmSync(to, { recursive: true }));
    };
    for (let round = 0; round < rounds; round++) {
      deleteCopies(product);
      figures.cold.push({ portico: await clone(url), git: await clone(`${server.url}/${size}`) });
    }
    // The copy is repacked in the background after its first use.
    await copiesAreIdle(product);
    for (let round = 0; round < rounds; round++) {
      figures.warm.push({ portico: await clone(url), git: await clone(`${server.url}/${size}`) });
    }
    figures.memory = await memoryOfClones(product, () => clone(url));
    figures.fetch = await measureFetches(source, [url, `${server.url}/${size}`], rounds);
    return figures;
  } finally {
    await server.close();
    for (const path of folders) rmSync(path, { recursive: true, force: true });
  }
}

async function newRepository({ origin, token, owner }: Product, name: string): Promise<string> {
  const query = `mutation { createRepository(input: { name: "${name}", visibility: PUBLIC }) { repository { name } } }`;
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const answer = (await response.json()) as { errors?: unknown };
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return `${origin.replace('://', `://x:${token}@`)}/${owner}/${name}.git`;
}

/** Seconds of one git command. Asynchronous: `git http-backend` is served by this process. */
async function timed(folder: string, args: string[]): Promise<number> {
  const started = performance.now();
  const settings = ['-c', 'gc.auto=0', '-c', 'safe.directory=*', ...args];
  const child = spawn('git', settings, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended (${code}).`);
  return (performance.now() - started) / 1000;
}

/** Ten commits are pushed to both, and fetched by clones that lack them. */
async function measureFetches(source: string, urls: [string, string], rounds: number): Promise<Pair[]> {
  const readers = urls.map(() => emptyRepository());
  try {
    for (const [at, url] of urls.entries()) await timed(readers[at] ?? '', ['fetch', '-q', url, 'main:main']);
    const pairs: Pair[] = [];
    for (let round = 0; round < rounds; round++) {
      systemGit(source, ['fast-import', '--quiet', '--done'], tenCommits(round));
      for (const url of urls) await timed(source, ['push', '-q', url, 'main']);
      const seconds: number[] = [];
      for (const [at, url] of urls.entries()) {
        seconds.push(await timed(readers[at] ?? '', ['fetch', '-q', url, 'main:main']));
      }
      pairs.push({ portico: seconds[0] ?? 0, git: seconds[1] ?? 1 });
    }
    return pairs;
  } finally {
    for (const path of readers) rmSync(path, { recursive: true, force: true });
  }
}

function tenCommits(round: number): string {
  const commits = Array.from({ length: 10 }, (_, at) => {
    const text = `${round} ${at}\n`.repeat(50);
    const from = at === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter C <c@example.org> ${1_700_000_000 + round * 100 + at} +0000\ndata 1\nx\n${from}M 100644 inline new/file-${at}.ts\ndata ${text.length}\n${text}\n`;
  });
  return `${commits.join('')}done\n`;
}

/** Deletes the copies of all processes; the product makes new ones. */
function deleteCopies({ data }: Product): void {
  const root = join(data, 'git');
  for (const folder of readdirSync(root)) {
    for (const name of readdirSync(join(root, folder))) {
      if (name.endsWith('.git')) rmSync(join(root, folder, name), { recursive: true, force: true });
    }
  }
}

/** Waits until no git process of the product runs, nor the shell around it. */
async function copiesAreIdle({ process: child }: Product): Promise<void> {
  const isBusy = (): boolean => {
    try {
      return /^(sh|git)$/m.test(execFileSync('ps', ['-o', 'comm=', '--ppid', `${child.pid}`]).toString());
    } catch {
      return false;
    }
  };
  do await delay(1_000);
  while (isBusy());
}

const residentMb = ({ process: child }: Product): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

async function memoryOfClones(product: Product, clone: () => Promise<number>): Promise<Figures['memory']> {
  const before = residentMb(product);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMb(product));
  }, 50);
  await Promise.all(Array.from({ length: clones }, clone));
  clearInterval(timer);
  return { before, peak };
}
