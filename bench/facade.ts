import assert from 'node:assert/strict';
import { alternatingRounds, type Contestant } from './alternating-rounds.ts';
import type { BenchOptions, BenchPart, BenchResult } from './benchmark.ts';
import { formatTable, showSpread, spreadOf } from './figures.ts';
import { currentLoad } from './machine.ts';
import type { Pinning } from './pinning.ts';
import { type Server, startServer } from './server.ts';

const reference = 'Express 5, by hand';

/** Target of `bench/server-process.ts` → label. */
const labels: readonly (readonly [key: string, label: string])[] = [
  ['facade-node-http', 'operation-rest, node:http'],
  ['facade-express', 'operation-rest, Express 5'],
  ['facade-fastify', 'operation-rest, Fastify 5'],
  ['facade-fetch', 'operation-rest, Fetch on node:http'],
  ['things-express', reference],
  ['things-fastify', 'Fastify 5, by hand'],
  ['things-sofa', 'sofa-api'],
];
const bar = { of: 'operation-rest, node:http', atMost: 1.05 };
const pages = Array.from({ length: 10 }, (_, at) => ({ path: at === 0 ? '/things' : `/things?page=${at + 1}` }));

/** The package operation-rest on a plain schema beside other ways to serve the same list. Needs no PostgreSQL. */
export const facadeBench: BenchPart = {
  name: 'facade',
  about: 'operation-rest on a plain schema: a list of 30 from memory, pages 1 to 10 in turn, through each adapter',
  async measure(_url: string, pinning: Pinning | undefined, options: BenchOptions = {}): Promise<BenchResult> {
    const { rounds = 5, seconds = 3, warmUp = 6_000, only } = options;
    const chosen = labels.filter(([key, label]) => !only || only.includes(key) || label === reference);
    const servers: Server[] = [];
    try {
      for (const [key] of chosen) servers.push(await startServer(key, '', pinning));
      await assertEqualBodies(chosen, servers);
      const contestants = chosen.flatMap(([, label], at): Contestant[] => {
        const server = servers[at];
        return server ? [{ label, server, requests: pages, startsWith: '{"count":300,"next":' }] : [];
      });
      const measured = await alternatingRounds(contestants, { warmUp, rounds, seconds, databaseCpu: undefined });
      const theirs = measured.get(reference) ?? [];
      const figures = [...measured].map(([label, own]) => ({
        label,
        cpu: spreadOf(own.map(({ cpu }) => cpu)),
        throughput: spreadOf(own.map(({ throughput }) => throughput)),
        ratio: spreadOf(own.map(({ cpu }, at) => cpu / (theirs[at]?.cpu ?? Number.NaN))).median,
      }));
      const rows = figures.map(one => [
        one.label,
        showSpread(one.cpu),
        showSpread(one.throughput),
        one.ratio.toFixed(2),
      ]);
      const ratio = figures.find(({ label }) => label === bar.of)?.ratio ?? Number.NaN;
      const isReached = ratio <= bar.atMost;
      const verdict = `${bar.of} over ${reference}: ${ratio.toFixed(2)}; the bar is ≤ ${bar.atMost}: ${isReached ? 'reached' : 'MISSED'}`;
      const text = [
        `\n${facadeBench.name}: ${facadeBench.about}`,
        `${warmUp} requests of warm-up each, then ${rounds} rounds of ${seconds} s in turns; per request; load ${currentLoad()} at the end\n`,
        formatTable([['', 'server CPU µs', 'requests/s', `CPU over ${reference}`], ...rows]),
        `\n  ${verdict}`,
      ];
      return { text: text.join('\n'), missed: isReached ? [] : [`${facadeBench.name}: ${verdict}`], figures };
    } finally {
      await Promise.all(servers.map(server => server.stop()));
    }
  },
};

/** All servers send the same bytes, pages that are not there aside. */
async function assertEqualBodies(chosen: typeof labels, servers: readonly Server[]): Promise<void> {
  for (const { path } of pages) {
    const bodies = await Promise.all(servers.map(async ({ address }) => (await fetch(`${address}${path}`)).text()));
    for (const [at, body] of bodies.entries()) assert.equal(body, bodies[0], `${path} of «${chosen[at]?.[1]}»`);
  }
}
