import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { archives } from '../bench/archives.ts';
import { attacksBench } from '../bench/attacks.ts';
import type { Benchmark } from '../bench/benchmark.ts';
import { chatPage } from '../bench/chat-page.ts';
import { contents } from '../bench/contents.ts';
import { prepareContents } from '../bench/contents-world.ts';
import { contentsWrite } from '../bench/contents-write.ts';
import { credential } from '../bench/credential.ts';
import { dashboard } from '../bench/dashboard.ts';
import { deliveries } from '../bench/deliveries.ts';
import { detail } from '../bench/detail.ts';
import { assertEqualResponses } from '../bench/equal-responses.ts';
import { feeds } from '../bench/feeds.ts';
import { gitImport } from '../bench/git-import.ts';
import { gitRead } from '../bench/git-read.ts';
import { gitWrite } from '../bench/git-write.ts';
import { hostingCredential } from '../bench/hosting-credential.ts';
import { limits, limitsOfContents, limitsOfList } from '../bench/limits.ts';
import { list } from '../bench/list.ts';
import { loadBuild } from '../bench/load-build.ts';
import { login } from '../bench/login.ts';
import { measure } from '../bench/measure.ts';
import { type Pinning, pinThisProcess, unpinThisProcess } from '../bench/pinning.ts';
import { recommended } from '../bench/recommended.ts';
import { recommending } from '../bench/recommending.ts';
import { report } from '../bench/report.ts';
import { search } from '../bench/search.ts';
import { sourceImport } from '../bench/source-import.ts';
import { suggestions } from '../bench/suggestions.ts';
import { prepareWorld } from '../bench/world.ts';
import { build, isStale } from './build.ts';

const benchmarks = [list, detail, search, recommended, dashboard, contents, limitsOfList, limitsOfContents];
/** Measured at least partly in this process. Some fill the tables, so they run last. */
const parts = [
  login,
  credential,
  hostingCredential,
  limits,
  gitWrite,
  contentsWrite,
  gitRead,
  gitImport,
  sourceImport,
  deliveries,
  recommending,
  suggestions,
  chatPage,
  feeds,
  archives,
  attacksBench,
];

/**
 * Their work is done by this process and PostgreSQL, for which one CPU would be half of the machine: they run last and
 * unpinned.
 */
const unpinned = [gitWrite, gitImport, sourceImport, deliveries, archives, attacksBench];

/** `npm run bench` runs all, `npm run bench -- list` only those named. A missed bar is reported and does not fail. */
async function main(names: string[]): Promise<void> {
  const known = [...benchmarks, ...parts].map(({ name }) => name);
  const unknown = names.filter(name => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no benchmark ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  }
  if (isStale()) build();
  const isSelected = (item: { name: string }): boolean => names.length === 0 || names.includes(item.name);
  const isUnpinned = (item: { name: string }): boolean => unpinned.some(({ name }) => name === item.name);
  const missed: string[] = [];
  const pinned = {
    benchmarks: benchmarks.filter(isSelected),
    parts: parts.filter(part => isSelected(part) && !isUnpinned(part)),
  };
  if (pinned.benchmarks.length + pinned.parts.length > 0) {
    // Before PostgreSQL starts, which inherits the CPU affinity.
    const pinning = pinThisProcess();
    missed.push(...(await session(pinned.benchmarks, pinned.parts, pinning)));
    if (pinning) unpinThisProcess(pinning);
  }
  const alone = unpinned.filter(isSelected);
  if (alone.length > 0) missed.push(...(await session([], alone, undefined)));
  console.log(missed.length === 0 ? '\nEvery bar was reached.' : `\nMissed:\n  ${missed.join('\n  ')}`);
}

/** Runs with a separate PostgreSQL. Returns the missed bars. */
async function session(
  servers: readonly Benchmark[],
  measured: readonly (typeof parts)[number][],
  pinning: Pinning | undefined,
): Promise<string[]> {
  const missed: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const { openEmbedded } = await loadBuild();
  const log = { info: () => {}, warn: console.warn, error: console.error };
  const postgres = await openEmbedded({ dataFolder: folder, mode: 'own', log });
  try {
    await prepareWorld(postgres.url);
    await prepareContents(postgres.url);
    console.log(await machine(postgres.url, pinning));
    for (const benchmark of servers) missed.push(...(await run(benchmark, postgres.url, pinning)));
    for (const part of measured) {
      const result = await part.measure(postgres.url, pinning);
      console.log(result.text);
      missed.push(...result.missed);
    }
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return missed;
}

async function run(benchmark: Benchmark, url: string, pinning: Pinning | undefined): Promise<string[]> {
  await assertEqualResponses(benchmark, url, pinning);
  const { text, missed } = report(benchmark, await measure(benchmark, url, pinning));
  console.log(text);
  return missed;
}

async function machine(url: string, pinning: Pinning | undefined): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  const where = pinning
    ? `servers on CPU ${pinning.server}, load generator and PostgreSQL on CPU ${pinning.rest}`
    : 'nothing is pinned: this process and PostgreSQL have all of them';
  const processor = `${cpus().length} CPUs (${cpus()[0]?.model})`;
  return `${processor}, Node ${process.versions.node}, PostgreSQL ${rows[0]?.server_version} embedded; ${where}.`;
}

await main(process.argv.slice(2));
