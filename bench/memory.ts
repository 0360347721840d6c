import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';

/**
 * Memory of a gateway under mixed load: `node bench/memory.ts [minutes per round] [rounds]`. Linux only. Starts a gateway with demo
 * data and without rate limits, and sends lists, searches, GraphQL queries of many shapes, recommendations, chat messages,
 * files, pushes with their webhook events, and archives. Reports the resident memory and, after two full collections, the heap:
 * a heap that grows from round to round is a leak.
 */
interface Demo {
  health: { users: Record<string, { email: string; password: string }> };
  hosting: { users: Record<string, { classic_token: string }>; repositories: string[] };
}

type Send = (at: number) => {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

const root = join(import.meta.dirname, '..');
const [minutes = 2, rounds = 2] = process.argv.slice(2).map(Number);
const dataFolder = join(tmpdir(), `portico-bench-memory-${process.pid}`);
const concurrency = 8;
const json = { 'content-type': 'application/json' };

// The inspector of Node.js would hold objects; the gateway is asked for its heap by a preloaded module over IPC.
const probe = `data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  process.on('message', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    collect(); collect();
    process.send(process.memoryUsage());
  });
  process.channel?.unref();
`)}`;

const gateway = spawn(process.execPath, ['--import', probe, join(root, 'scripts', 'start.ts')], {
  env: { NODE_ENV: 'production', PORT: '0', PORTICO_DATA: dataFolder, RATE_LIMIT_FACTOR: 'off', LOG_LEVEL: 'warn' },
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});

async function addressOf(): Promise<string> {
  let text = '';
  for await (const chunk of gateway.stdout ?? []) {
    text += chunk;
    const found = /GraphQL\s+(http\S+)\/graphql/.exec(text)?.[1];
    if (found) return found;
  }
  throw new Error(`The gateway did not start:\n${text}`);
}

const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024;

async function heapMb(): Promise<number> {
  gateway.send('heap');
  const [usage] = (await once(gateway, 'message')) as [NodeJS.MemoryUsage];
  return (usage.heapUsed + usage.external) / 1e6;
}

function requests(demo: Demo, healthToken: string, group: number | string): Send[] {
  const bearer = { authorization: `Bearer ${healthToken}` };
  const token = Object.values(demo.hosting.users)[0]?.classic_token;
  const hosting = { authorization: `token ${token}`, 'user-agent': 'portico-bench' };
  const [repository = ''] = demo.hosting.repositories;
  const words = ['sleep', 'heart', 'walk', 'stress', 'food'];
  return [
    at => ({ method: 'GET', path: `/api/v1/articles/?page_size=20&search=${words[at % words.length]}` }),
    at => ({ method: 'GET', path: `/api/v1/articles/?page=${(at % 3) + 1}` }),
    () => ({ method: 'GET', path: '/api/v1/articles/recommended/', headers: bearer }),
    at => ({
      method: 'POST',
      path: '/graphql',
      headers: json,
      // Each document is another one, as those of dashboards without persisted queries are.
      body: JSON.stringify({
        query: `{ a${at % 5_000}: articles(first: 20) { nodes { headline summary } totalCount } }`,
      }),
    }),
    at => ({
      method: 'POST',
      path: `/api/v1/chat/groups/${group}/messages/`,
      headers: { ...bearer, ...json },
      body: JSON.stringify({ content: `message ${at}` }),
    }),
    () => ({ method: 'GET', path: `/repos/${repository}/contents/README.md`, headers: hosting }),
    () => ({ method: 'GET', path: `/repos/${repository}/commits`, headers: hosting }),
    at => ({
      method: 'PUT',
      path: `/repos/${repository}/contents/load/file-${at}.txt`,
      headers: { ...hosting, ...json },
      body: JSON.stringify({ message: `Add ${at}`, content: randomBytes(3_000).toString('base64') }),
    }),
    () => ({ method: 'GET', path: `/repos/${repository}/zipball`, headers: hosting }),
  ];
}

/** Sends for the given time; returns the highest resident memory in MB, and the responses by status class. */
async function load(
  origin: string,
  all: Send[],
  milliseconds: number,
  first: number,
): Promise<[number, Map<string, number>]> {
  const end = performance.now() + milliseconds;
  const statuses = new Map<string, number>();
  let next = first;
  let peak = 0;
  const worker = async (): Promise<void> => {
    const client = new Client(origin);
    while (performance.now() < end) {
      const at = next++;
      const send = all[at % all.length];
      if (!send) continue;
      const { statusCode, headers, body } = await client.request(send(at));
      await body.dump({ limit: 1e9 });
      const location = headers.location;
      if (statusCode === 302 && typeof location === 'string') {
        const file = await client.request({ method: 'GET', path: location.slice(origin.length) });
        await file.body.dump({ limit: 1e9 });
      }
      const key = `${at % all.length}:${statusCode}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      peak = Math.max(peak, residentMb());
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return [peak, statuses];
}

try {
  const origin = await addressOf();
  await delay(5_000);
  const demo = JSON.parse(readFileSync(join(dataFolder, 'demo.json'), 'utf8')) as Demo;
  const person = Object.values(demo.health.users)[0];
  const login = await fetch(`${origin}/api/v1/auth/login/`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(person),
  });
  const { access } = (await login.json()) as { access: string };
  console.log(`idle: resident ${residentMb().toFixed(0)} MB, heap and buffers ${(await heapMb()).toFixed(1)} MB`);
  const listed = await fetch(`${origin}/api/v1/chat/groups/`, { headers: { authorization: `Bearer ${access}` } });
  const groups = (await listed.json()) as { id: number | string }[];
  const all = requests(demo, access, groups[0]?.id ?? 0);
  for (let round = 1; round <= rounds; round++) {
    const [peak, statuses] = await load(origin, all, minutes * 60_000, round * 10_000_000);
    // Threads end after 30 s without work.
    await delay(40_000);
    const heap = await heapMb();
    console.log(
      `round ${round}: peak ${peak.toFixed(0)} MB, after it ${residentMb().toFixed(0)} MB, heap and buffers ${heap.toFixed(1)} MB`,
    );
    console.log(
      `  responses: ${[...statuses]
        .toSorted()
        .map(one => one.join(' × '))
        .join(', ')}`,
    );
  }
} finally {
  gateway.kill('SIGTERM');
  await once(gateway, 'exit');
  rmSync(dataFolder, { recursive: true, force: true });
}
