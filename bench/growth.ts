import pg from 'pg';
import type { SentRequest } from './alternating-rounds.ts';
import type { BenchOptions, BenchResult } from './benchmark.ts';
import { formatTable, median } from './figures.ts';
import { drawGrowth, type GrowthCurve, type GrowthPoint } from './growth-plot.ts';
import { commonWord, type GrownWorld, grownRepository, prepareGrownWorld, rareWord } from './growth-world.ts';
import { currentLoad } from './machine.ts';
import type { Pinning } from './pinning.ts';
import { postgresCpu } from './postgres-cpu.ts';
import { asReader } from './reader.ts';
import { type Server, startServer } from './server.ts';

const defaultSizes = [1_000, 10_000, 100_000];
/** Events are ten times as many as other rows at the largest size. */
const maxEvents = 1_000_000;

/** Cost at the largest size over that at the smallest. */
const bar = 2;

/** Requests of one figure: at least `min`, and more until `ms` have passed. */
const sample = { min: 12, max: 400, ms: 2_500 };
/** Requests before the figure, of a server in which all subjects were warmed up. */
const warmUp = 150;
/** Starts of a server for a figure of its first request. */
const coldStarts = 3;

interface Subject {
  key: string;
  title: string;
  request(world: GrownWorld, size: number): SentRequest;
  /** The first request of a server, which finds nothing in its caches. */
  isCold?: boolean;
  isOfEvents?: boolean;
}

const anonymous = { 'user-agent': 'bench' };
const personal = { ...anonymous, ...(await asReader()) };
const articles = (query: string): SentRequest => ({ path: `/api/v1/articles/${query}`, headers: anonymous });
const messages = ({ chatId }: GrownWorld, query: string): SentRequest => ({
  path: `/api/v1/chat/private/${chatId}/messages/${query}`,
  headers: personal,
});
const history = (): SentRequest => ({
  path: '/graphql',
  method: 'POST',
  headers: { ...anonymous, 'content-type': 'application/json' },
  body: JSON.stringify({
    query: `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { object(expression: "HEAD") {
      ... on Commit { history(path: "first.txt", first: 20) { nodes { oid messageHeadline } } } } } }`,
    variables: grownRepository,
  }),
});

const subjects: readonly Subject[] = [
  { key: 'list-first', title: 'Articles, first page', request: () => articles('') },
  { key: 'list-last', title: 'Articles, last page', request: (_, size) => articles(`?page=${Math.ceil(size / 20)}`) },
  { key: 'search-rare', title: 'Search, 20 articles match', request: () => articles(`?search=${rareWord}`) },
  { key: 'search-common', title: 'Search, a fifth matches', request: () => articles(`?search=${commonWord}`) },
  { key: 'related', title: 'One article, 3 related', request: (_, size) => articles(`${Math.floor(size / 2)}/`) },
  {
    key: 'recommended',
    title: 'Recommendations',
    request: () => ({ path: '/api/v1/articles/recommended/', headers: personal }),
  },
  { key: 'chat-page', title: 'Chat, newest page', request: world => messages(world, '') },
  { key: 'message-search', title: 'Chat, search, 20 match', request: world => messages(world, `?search=${rareWord}`) },
  {
    key: 'events-public',
    title: 'Events, public feed',
    request: () => ({ path: '/events', headers: anonymous }),
    isOfEvents: true,
  },
  {
    key: 'events-received',
    title: 'Events, received',
    request: () => ({ path: '/users/feed-reader/received_events/public', headers: anonymous }),
    isOfEvents: true,
  },
  { key: 'history', title: 'History of a file', request: history },
  { key: 'history-cold', title: 'History, first request', request: history, isCold: true },
];

/** What requests cost as the data grows, each size in a database of its own. */
export const growthBench = {
  name: 'growth',
  about: `CPU of gateway and PostgreSQL per request at ${defaultSizes.map(size => size.toLocaleString('en')).join(', ')} rows (and ${maxEvents.toLocaleString('en')} events)`,
  async measure(server: string, pinning: Pinning | undefined, options: BenchOptions = {}): Promise<BenchResult> {
    const { sizes = defaultSizes, only } = options;
    const chosen = subjects.filter(({ key }) => only?.includes(key) ?? true);
    const curves: GrowthCurve[] = chosen.map(({ key, title }) => ({ key, title, points: [] }));
    await stopAutovacuum(server);
    for (const size of sizes) {
      const url = await createDatabase(server, `growth_${size}`);
      const isLargest = size === sizes.at(-1);
      const events = isLargest && size === defaultSizes.at(-1) ? maxEvents : size;
      const world = await prepareGrownWorld(url, size, events);
      const points = await measureSize(chosen, world, size, pinning);
      for (const [index, point] of points.entries()) {
        const rows = chosen[index]?.isOfEvents ? events : size;
        curves[index]?.points.push({ ...point, size: rows });
      }
    }
    const { text, missed } = show(curves);
    const figures = { date: new Date().toISOString(), load: currentLoad(), curves };
    return { text, missed, figures, svg: drawGrowth(figures) };
  },
};

/** Its work would be counted with that of the requests; the worlds are vacuumed when they are filled. */
async function stopAutovacuum(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  await client.end();
}

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return server.replace(/[^/]*$/, name);
}

async function measureSize(
  chosen: readonly Subject[],
  world: GrownWorld,
  size: number,
  pinning: Pinning | undefined,
): Promise<GrowthPoint[]> {
  const databaseCpu = await postgresCpu(world.url);
  const points = new Map<Subject, GrowthPoint>();
  const server = await startServer('gateway', world.url, pinning);
  try {
    const warm = chosen.filter(({ isCold }) => !isCold);
    for (const subject of warm) await repeat(server, subject.request(world, size), { min: 3, max: warmUp, ms: 2_000 });
    for (const subject of warm) {
      points.set(subject, await costOf(server, subject.request(world, size), size, sample, databaseCpu));
    }
  } finally {
    await server.stop();
  }
  for (const subject of chosen.filter(({ isCold }) => isCold)) {
    const found: GrowthPoint[] = [];
    for (let start = 0; start < coldStarts; start++) {
      const fresh = await startServer('gateway', world.url, pinning);
      try {
        // Opens connections and compiles what every request needs.
        await repeat(fresh, articles(''), { min: 50, max: 50, ms: 0 });
        const once = { min: 1, max: 1, ms: 0 };
        found.push(await costOf(fresh, subject.request(world, size), size, once, databaseCpu));
      } finally {
        await fresh.stop();
      }
    }
    const of = (figure: 'gateway' | 'database' | 'clock'): number | null =>
      found.some(one => one[figure] === null) ? null : median(found.map(one => one[figure] ?? 0));
    const status = found.find(one => one.status !== 200)?.status ?? 200;
    points.set(subject, { size, gateway: of('gateway'), database: of('database'), clock: of('clock'), status });
  }
  return chosen.flatMap(subject => points.get(subject) ?? []);
}

async function costOf(
  server: Server,
  request: SentRequest,
  size: number,
  amount: typeof sample,
  databaseCpu: (() => number) | undefined,
): Promise<GrowthPoint> {
  const before = { own: await server.cpu(), database: databaseCpu?.() };
  const { clocks, status } = await repeat(server, request, amount);
  if (status !== 200) return { size, gateway: null, database: null, clock: null, status };
  const own = (await server.cpu()) - before.own;
  const database = before.database === undefined ? null : (databaseCpu?.() ?? 0) - before.database;
  const perRequest = (all: number): number => Math.round(all / clocks.length);
  return {
    size,
    gateway: perRequest(own),
    database: database === null ? null : perRequest(database),
    clock: Math.round(median(clocks) * 100) / 100,
    status,
  };
}

/** Sends the request one after the other; ends at the first answer that is not 200. */
async function repeat(
  { address }: Server,
  { path, ...init }: SentRequest,
  { min, max, ms }: typeof sample,
): Promise<{ clocks: number[]; status: number }> {
  const clocks: number[] = [];
  const end = performance.now() + ms;
  while (clocks.length < min || (clocks.length < max && performance.now() < end)) {
    const started = performance.now();
    const response = await fetch(`${address}${path}`, init);
    const text = await response.text();
    clocks.push(performance.now() - started);
    const isGood = response.status === 200 && !text.startsWith('{"errors"') && !text.includes('"object":null');
    if (!isGood) return { clocks, status: response.status === 200 ? 500 : response.status };
  }
  return { clocks, status: 200 };
}

function show(curves: readonly GrowthCurve[]): { text: string; missed: string[] } {
  const head = ['', 'rows', 'gateway CPU µs', 'database CPU µs', 'ms', 'growth'];
  const rows: string[][] = [];
  const missed: string[] = [];
  for (const { key, title, points } of curves) {
    for (const [index, point] of points.entries()) {
      const growth = index === 0 ? undefined : growthOf(points[0], point);
      rows.push([
        index === 0 ? title : '',
        point.size.toLocaleString('en'),
        point.gateway === null ? `status ${point.status}` : point.gateway.toLocaleString('en'),
        point.database?.toLocaleString('en') ?? '',
        point.clock?.toFixed(1) ?? '',
        growth === undefined ? '' : `${growth.toFixed(1)} ×`,
      ]);
    }
    const last = points.at(-1);
    const growth = growthOf(points[0], last);
    if (last?.status !== 200) missed.push(`growth: ${key}: status ${last?.status} at ${last?.size} rows`);
    else if (growth !== undefined && growth > bar)
      missed.push(`growth: ${key}: ${growth.toFixed(1)} times; the bar is ≤ ${bar}`);
  }
  return { text: [`\n${growthBench.name}: ${growthBench.about}\n`, formatTable([head, ...rows])].join('\n'), missed };
}

/** CPU of gateway and PostgreSQL together, over the smallest size. */
function growthOf(first: GrowthPoint | undefined, point: GrowthPoint | undefined): number | undefined {
  if (!first || !point || first.gateway === null || point.gateway === null) return undefined;
  return (point.gateway + (point.database ?? 0)) / (first.gateway + (first.database ?? 0));
}
