import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type autocannon from 'autocannon';
import { type DemoWorld, readDemoWorld } from '../test/topology/mixed-load.ts';
import { Topology } from '../test/topology/topology.ts';
import type { BenchOptions, BenchPart, BenchResult } from './benchmark.ts';
import { median } from './figures.ts';
import { benchSecret } from './load-build.ts';
import { currentLoad } from './machine.ts';
import { send } from './paced-load.ts';
import type { Pinning } from './pinning.ts';
import { postgresCpu } from './postgres-cpu.ts';
import { processCpu } from './process-stat.ts';
import { type Server, startServer } from './server.ts';

/** Two gateways take at most this of the CPU per request that one takes, each at the same rate. */
const bar = 1.1;
/** Of each server that a round measures. */
const requestsPerServer = 800;
/**
 * `full`: as fast as the servers answer, so that one of them is saturated and reads many requests at a time. `half`: half of that rate
 * for one server or shared by two. `each`: a quarter of what one answers for each server, so that two receive twice as much. This alone
 * tells what one server costs another: a process takes more for a request the less busy it is, as the hand-written server shows.
 */
const loads = ['full', 'half', 'each'] as const;
type Load = (typeof loads)[number];
/** Of each server, before the rounds of a request: with 300 the compiler of V8 was still at work, mostly in the second one. */
const warmUpRequests = 6_000;
const kinds = ['articles', 'file', 'symptom'] as const;
type Kind = (typeof kinds)[number];

/** A process that answers requests. */
interface FleetServer {
  url: string;
  /** CPU time since its start in microseconds. */
  cpu(): Promise<number>;
}

/** Two servers of a kind and the request that they answer. */
interface Pair {
  label: string;
  servers: readonly [FleetServer, FleetServer];
  request: autocannon.Request;
  hasBar: boolean;
}

/** Microseconds per request. */
interface Cost {
  servers: number;
  postgres: number;
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

/** Requests per second that one server answers. */
async function capacityOf({ servers: [{ url }], request }: Pair): Promise<number> {
  const begin = performance.now();
  await send([url], { request, amount: requestsPerServer });
  return (1_000 * requestsPerServer) / (performance.now() - begin);
}

/** Requests per second of all servers together. */
const rateOf = (load: Load, capacity: number, servers: number): number | undefined =>
  ({ full: undefined, half: capacity / 2, each: (servers * capacity) / 4 })[load];

function rateText(load: Load, capacity: number): string {
  const rate = rateOf(load, capacity, 1);
  return rate === undefined ? 'full' : `${rate.toFixed(0)}/s${load === 'each' ? ' each' : ''}`;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

interface Measured {
  load: Load;
  capacity: number;
  /** Of each round: the mean of each server alone, and of both together. */
  one: Cost[];
  two: Cost[];
}

/** CPU per request of each server alone and of both, in turns. */
async function measurePair(pair: Pair, databaseCpu: () => number, rounds: number): Promise<Measured[]> {
  const { servers, request } = pair;
  for (const { url } of servers) await send([url], { request, amount: warmUpRequests });
  const capacity = await capacityOf(pair);
  const costOf = async (load: Load, measured: readonly FleetServer[]): Promise<Cost> => {
    const amount = requestsPerServer * measured.length;
    const readCpu = async (): Promise<number> => sum(await Promise.all(measured.map(one => one.cpu())));
    const before = { servers: await readCpu(), postgres: databaseCpu() };
    const rate = rateOf(load, capacity, measured.length);
    await send(
      measured.map(({ url }) => url),
      { request, amount, ...(rate === undefined ? {} : { rate }) },
    );
    return {
      servers: ((await readCpu()) - before.servers) / amount,
      postgres: (databaseCpu() - before.postgres) / amount,
    };
  };
  const all: Measured[] = [];
  for (const load of loads) {
    const measured: Measured = { load, capacity, one: [], two: [] };
    for (let round = 0; round < rounds; round++) {
      // Equal programs differ by a fifth, by what their compilers did, so each is measured alone.
      const alone: Cost[] = [];
      for (const server of servers) alone.push(await costOf(load, [server]));
      measured.one.push({
        servers: sum(alone.map(cost => cost.servers)) / alone.length,
        postgres: sum(alone.map(cost => cost.postgres)) / alone.length,
      });
      measured.two.push(await costOf(load, servers));
    }
    all.push(measured);
  }
  return all;
}

const ratioOf = ({ one, two }: Measured, part: keyof Cost): number =>
  median(two.map((cost, round) => cost[part] / (one[round]?.[part] ?? Number.NaN)));

function lineOf({ label }: Pair, measured: Measured): string {
  const cost = (costs: readonly Cost[], part: keyof Cost): string => median(costs.map(one => one[part])).toFixed(0);
  const cells = (['servers', 'postgres'] as const).flatMap(part => [
    cost(measured.one, part),
    cost(measured.two, part),
    ratioOf(measured, part).toFixed(2),
  ]);
  return `| ${[label, rateText(measured.load, measured.capacity), ...cells].join(' | ')} |`;
}

/** CPU per request of one gateway and of two, on one database and one Redis; of a hand-written server beside them. */
async function measure(
  _url: string,
  pinning: Pinning | undefined,
  { rounds = 5 }: BenchOptions = {},
): Promise<BenchResult> {
  // Without the replica, so that the CPU time of the primary is that of all statements.
  const settings = { SEED: 'demo', RATE_LIMIT_FACTOR: '100000', LOG_LEVEL: 'warn', DATABASE_REPLICA_URLS: '' };
  const topology = await Topology.start({ secretKey: benchSecret, settings });
  const handWritten: Server[] = [];
  try {
    const primary = topology.primary.url('portico');
    const databaseCpu = await postgresCpu(primary);
    if (!databaseCpu) throw new Error('The CPU time of PostgreSQL cannot be read.');
    const requests = await requestsOf(readDemoWorld(join(topology.folder, 'gateway-1')), topology.url);
    const gateways = topology.gateways.map(({ url, program: { pid = 0 } }): FleetServer => {
      // The servers of the topology are children of this process and so run on its CPUs.
      if (pinning) execFileSync('taskset', ['-a', '-cp', pinning.server, String(pid)]);
      return { url, cpu: async () => processCpu(pid) };
    });
    for (let started = 0; started < 2; started++) handWritten.push(await startServer('hand-written', primary, pinning));
    const express = handWritten.map(({ address: url, cpu }): FleetServer => ({ url, cpu }));
    const pairs = [
      ...kinds.map(kind => ({ label: kind, servers: gateways, request: requests[kind], hasBar: true })),
      { label: 'articles, hand-written', servers: express, request: requests.articles, hasBar: false },
    ].map(pair => ({ ...pair, servers: pair.servers as [FleetServer, FleetServer] }));
    const lines: string[] = [];
    const missed: string[] = [];
    const averages = [currentLoad()];
    for (const pair of pairs) {
      for (const measured of await measurePair(pair, databaseCpu, rounds)) {
        lines.push(lineOf(pair, measured));
        if (!pair.hasBar || measured.load !== 'each') continue;
        for (const part of ['servers', 'postgres'] as const)
          if (ratioOf(measured, part) > bar)
            missed.push(`${pair.label}: ${part} ${ratioOf(measured, part).toFixed(2)} > ${bar}`);
      }
      averages.push(currentLoad());
    }
    const head = [
      '| request | rate | one, µs | two, µs | ratio | PostgreSQL with one, µs | with two, µs | ratio |',
      '|---|---|---|---|---|---|---|---|',
    ];
    const text = [...head, ...lines, `load average ${Math.min(...averages)} to ${Math.max(...averages)}`].join('\n');
    return { text, missed, figures: lines };
  } finally {
    for (const server of handWritten) await server.stop();
    await topology.close();
  }
}

export const fleetBench: BenchPart = {
  name: 'fleet',
  about: 'CPU per request of one gateway and of two behind PgBouncer, with Redis and two standbys',
  measure,
};
