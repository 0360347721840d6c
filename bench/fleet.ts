import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { type DemoWorld, readDemoWorld } from '../test/topology/mixed-load.ts';
import { Topology } from '../test/topology/topology.ts';
import type { BenchOptions, BenchPart, BenchResult } from './benchmark.ts';
import { benchSecret } from './load-build.ts';
import { currentLoad } from './machine.ts';
import type { Pinning } from './pinning.ts';
import { postgresCpu } from './postgres-cpu.ts';

/** Two gateways take at most this of the CPU per request that one takes. */
const bar = 1.1;
const connections = 16;
const requestsPerRound = 1_200;
/**
 * `full`: as fast as the gateways answer, so that one of them is saturated and reads many requests at a time. `half`: at half the rate of
 * that, which is how docs/scale.md plans a gateway.
 */
const loads = ['full', 'half'] as const;
type Load = (typeof loads)[number];
/** Of both gateways together, before the rounds of a request: with 600 the compiler of V8 was still at work, mostly in the second one. */
const warmUpRequests = 8_000;
const kinds = ['articles', 'file', 'symptom'] as const;
type Kind = (typeof kinds)[number];

/** Microseconds per request. */
interface Cost {
  gateways: number;
  postgres: number;
}

/** CPU time of processes, user and system, in microseconds: ticks of 10 ms. */
function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const stat = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(stat[11]) + Number(stat[12])) * 10_000;
  }, 0);
}

async function requestsOf(demo: DemoWorld, url: string): Promise<Record<Kind, autocannon.Request>> {
  const login = await fetch(`${url}/api/v1/auth/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(demo.health.users.amira),
  });
  const { access } = (await login.json()) as { access: string };
  const agent = { 'user-agent': 'portico bench' };
  return {
    articles: { method: 'GET', path: '/api/v1/articles/?page_size=20', headers: agent },
    file: {
      method: 'GET',
      path: '/repos/harbor-lab/compass/contents/README.md',
      headers: { ...agent, authorization: `Bearer ${demo.hosting.users.wren.classic_token}` },
    },
    symptom: {
      method: 'POST',
      path: '/api/v1/health/symptoms/',
      headers: { ...agent, authorization: `Bearer ${access}`, 'content-type': 'application/json' },
      body: JSON.stringify({ symptom_name: 'Headache', severity: 4 }),
    },
  };
}

interface Sending {
  request: autocannon.Request;
  amount: number;
  /** Requests per second of all together; as many as the gateways answer when absent. */
  rate?: number;
}

/** Sends the requests to these gateways, the same number to each. @throws for an answer that is not 2xx */
async function send(urls: readonly string[], { request, amount, rate }: Sending): Promise<void> {
  const bad = await (rate === undefined ? sendFast(urls, request, amount) : sendPaced(urls, request, amount, rate));
  if (bad > 0) throw new Error(`${bad} of ${amount} requests for ${request.path} failed.`);
}

/** Returns the number of answers that are not 2xx, as do all below. */
async function sendFast(urls: readonly string[], request: autocannon.Request, amount: number): Promise<number> {
  const each = { requests: [request], connections: connections / urls.length, amount: amount / urls.length };
  const results = await Promise.all(urls.map(url => autocannon({ url, ...each })));
  return results.reduce((sum, { non2xx, errors, timeouts }) => sum + non2xx + errors + timeouts, 0);
}

/** One request after the other at even distances, which autocannon does not: it sends those of a second at once. */
async function sendPaced(
  urls: readonly string[],
  request: autocannon.Request,
  amount: number,
  rate: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begin = performance.now();
  const statuses: Promise<number>[] = [];
  for (let at = 0; at < amount; at++) {
    const early = begin + (1_000 * at) / rate - performance.now();
    if (early > 0) await delay(early);
    statuses.push(statusOf(urls[at % urls.length] ?? '', request, agent));
  }
  const bad = (await Promise.all(statuses)).filter(status => status < 200 || status > 299).length;
  agent.destroy();
  return bad;
}

async function statusOf(
  url: string,
  { path = '', method = 'GET', headers = {}, body }: autocannon.Request,
  agent: Agent,
) {
  const sent = httpRequest(`${url}${path}`, { agent, method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

/** Requests per second that one gateway answers. */
async function capacityOf(url: string, request: autocannon.Request): Promise<number> {
  const begin = performance.now();
  await send([url], { request, amount: requestsPerRound });
  return (1_000 * requestsPerRound) / (performance.now() - begin);
}

const rateOf = (load: Load, capacity: number): string => (load === 'full' ? 'full' : `${(capacity / 2).toFixed(0)}/s`);

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** CPU per request of one gateway and of two, on one database and one Redis, in turns. */
async function measure(
  _url: string,
  pinning: Pinning | undefined,
  { rounds = 5 }: BenchOptions = {},
): Promise<BenchResult> {
  // Without the replica, so that the CPU time of the primary is that of all statements.
  const settings = { SEED: 'demo', RATE_LIMIT_FACTOR: '100000', LOG_LEVEL: 'warn', DATABASE_REPLICA_URLS: '' };
  const topology = await Topology.start({ secretKey: benchSecret, settings });
  try {
    const databaseCpu = await postgresCpu(topology.primary.url('portico'));
    if (!databaseCpu) throw new Error('The CPU time of PostgreSQL cannot be read.');
    const requests = await requestsOf(readDemoWorld(join(topology.folder, 'gateway-1')), topology.url);
    const urls = topology.gateways.map(({ url }) => url);
    const pids = topology.gateways.map(({ program }) => program.pid ?? 0);
    // The servers of the topology are children of this process and so run on its CPUs.
    if (pinning) for (const pid of pids) execFileSync('taskset', ['-a', '-cp', pinning.server, String(pid)]);
    const averages: number[] = [];
    const lines: string[] = [];
    const missed: string[] = [];
    for (const kind of kinds) {
      const request = requests[kind];
      await send(urls, { request, amount: warmUpRequests });
      const capacity = await capacityOf(urls[0] ?? '', request);
      for (const load of loads) {
        const costs: Record<1 | 2, Cost[]> = { 1: [], 2: [] };
        for (let round = 0; round < rounds; round++)
          for (const count of [1, 2] as const) {
            averages.push(currentLoad());
            const before = { gateways: cpuOf(pids.slice(0, count)), postgres: databaseCpu() };
            const paced = load === 'half' ? { rate: capacity / 2 } : {};
            await send(urls.slice(0, count), { request, amount: requestsPerRound, ...paced });
            costs[count].push({
              gateways: (cpuOf(pids.slice(0, count)) - before.gateways) / requestsPerRound,
              postgres: (databaseCpu() - before.postgres) / requestsPerRound,
            });
          }
        const ratio = (part: keyof Cost): number =>
          median(costs[2].map((cost, round) => cost[part] / (costs[1][round]?.[part] ?? Number.NaN)));
        const cost = (count: 1 | 2, part: keyof Cost): string => median(costs[count].map(one => one[part])).toFixed(0);
        const cells = (part: keyof Cost): string[] => [cost(1, part), cost(2, part), ratio(part).toFixed(2)];
        lines.push(`| ${[kind, rateOf(load, capacity), ...cells('gateways'), ...cells('postgres')].join(' | ')} |`);
        for (const part of ['gateways', 'postgres'] as const)
          if (ratio(part) > bar) missed.push(`${kind}, ${load}: ${part} ${ratio(part).toFixed(2)} > ${bar}`);
      }
    }
    const head = [
      '| request | rate | one gateway, µs | two gateways, µs | ratio | PostgreSQL with one, µs | with two, µs | ratio |',
      '|---|---|---|---|---|---|---|---|',
    ];
    const text = [...head, ...lines, `load average ${Math.min(...averages)} to ${Math.max(...averages)}`].join('\n');
    return { text, missed, figures: lines };
  } finally {
    await topology.close();
  }
}

export const fleetBench: BenchPart = {
  name: 'fleet',
  about: 'CPU per request of one gateway and of two behind PgBouncer, with Redis and two standbys',
  measure,
};
