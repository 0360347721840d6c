import assert from 'node:assert/strict';
import type { Actor } from '../src/auth/actor.ts';
import { anchors, type Benchmark } from './benchmark.ts';
import { load, median } from './credential.ts';
import { list } from './list.ts';
import { loadBuild } from './load-build.ts';

const counted = 'counted';
const uncounted = 'uncounted';

/** The same requests to a gateway with rate limits and to one without. */
function compared(name: string, path: string, check: (body: unknown) => void): Benchmark {
  const headers = { 'user-agent': 'portico bench' };
  const request = { path, headers };
  return {
    name,
    about: `GET ${path}, with all limits and without any`,
    rounds: 3,
    seconds: 4,
    contenders: [
      { label: counted, server: 'gateway', request, check },
      { label: uncounted, server: 'gateway-unlimited', request, check },
    ],
    comparisons: [{ figure: 'cpu', of: counted, over: uncounted, bar: 1.1 }],
    same: { one: counted, other: uncounted, paths: [path], headers, varying: anchors },
  };
}

const [facade] = list.contenders;
assert.ok(facade);

/** Cost of rate limits for a page of the article list. */
export const limitsOfList = compared('limits-list', facade.request.path, facade.check);

/** Cost of rate limits for reading a file. */
export const limitsOfContents = compared('limits-contents', '/repos/harbor-lab/compass/contents/README.md', body => {
  assert.equal((body as { type: string }).type, 'file');
});

const rounds = 3;
const callers = 1_000;

/** CPU time of admitting and releasing one request in memory, and the time of one in Redis. */
export const limits = {
  name: 'limits',
  about: `a REST request admitted and released: hour, points, CPU and a slot; ${callers} addresses in turns`,
  /** Microseconds of CPU, in memory. */
  bar: 15,
  async measure(): Promise<{ text: string; missed: string[] }> {
    const around = await loadBuild();
    // biome-ignore lint/style/noProcessEnv: URL of the Redis server to measure; without it the Redis part is skipped.
    const redis = process.env.REDIS_URL;
    const memory = await measured(around, {});
    const lines = [`  ${'memory'.padEnd(14)} CPU ${memory.toFixed(1)} µs`];
    if (redis !== undefined) {
      const there = await measured(around, { REDIS_URL: redis });
      lines.push(`  ${'Redis'.padEnd(14)} CPU of this process ${there.toFixed(1)} µs, two round trips`);
    }
    const missed = memory > limits.bar ? [`${limits.name}: memory`] : [];
    const verdict = missed.length === 0 ? 'reached' : 'MISSED';
    const text = [`\n${limits.name}: ${limits.about}\n`, ...lines, `  the bar is ≤ ${limits.bar} µs: ${verdict}`];
    return { text: text.join('\n'), missed };
  },
};

async function measured(around: Awaited<ReturnType<typeof loadBuild>>, env: Record<string, string>): Promise<number> {
  const clock = (): Date => new Date();
  const config = around.readConfig({ RATE_LIMIT_FACTOR: '1000000', ...env });
  const limiter = await around.openRateLimiter({ config, clock, log: console, read: async () => [] });
  const actors: Actor[] = Array.from({ length: callers }, (_, at) => ({
    kind: 'anonymous',
    ip: `10.0.${at >> 8}.${at & 255}`,
  }));
  // The first command waits for the connection.
  await new Promise(resolve => setTimeout(resolve, 500));
  const one = async (turn: number): Promise<void> => {
    const quota = await limiter.quotaOf(actors[turn % callers] ?? { kind: 'anonymous', ip: '' });
    const open = await limiter.admit(quota, {
      entryPoint: 'rest',
      endpoint: 'GetContent',
      points: 1,
      content: 0,
      primary: { window: limiter.windowOf(quota, 'core'), cost: 1 },
    });
    assert.ok('release' in open);
    open.release();
  };
  const all: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const cpu = await load(one);
    // The first is the warm-up.
    if (round > 0) all.push(cpu);
  }
  limiter.close();
  return median(all);
}
