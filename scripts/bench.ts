import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Benchmark } from '../bench/benchmark.ts';
import { built } from '../bench/built.ts';
import { chatPage } from '../bench/chat-page.ts';
import { credential } from '../bench/credential.ts';
import { dashboard } from '../bench/dashboard.ts';
import { detail } from '../bench/detail.ts';
import { demandEqualAnswers } from '../bench/equal-answers.ts';
import { gitImport } from '../bench/git-import.ts';
import { gitRead } from '../bench/git-read.ts';
import { gitWrite } from '../bench/git-write.ts';
import { hostingCredential } from '../bench/hosting-credential.ts';
import { list } from '../bench/list.ts';
import { login } from '../bench/login.ts';
import { measure } from '../bench/measure.ts';
import { type Pinning, pinThisProcess } from '../bench/pinning.ts';
import { recommended } from '../bench/recommended.ts';
import { recommending } from '../bench/recommending.ts';
import { report } from '../bench/report.ts';
import { search } from '../bench/search.ts';
import { suggestions } from '../bench/suggestions.ts';
import { prepareWorld } from '../bench/world.ts';
import { build, isStale } from './build.ts';

const benchmarks = [list, detail, search, recommended, dashboard];
/** Measured, at least in part, in this process. Some fill the tables, and all come last. */
const parts = [login, credential, hostingCredential, gitWrite, gitRead, gitImport, recommending, suggestions, chatPage];

/** `npm run bench` runs them all, `npm run bench -- list` those that are named. A missed bar is told, not failed. */
async function main(names: string[]): Promise<void> {
  const known = [...benchmarks, ...parts].map(one => one.name);
  const unknown = names.filter(name => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no benchmark ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  }
  if (isStale()) build();
  // Before PostgreSQL is started, which inherits it.
  const pinning = pinThisProcess();
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const { openEmbedded } = await built();
  const log = { info: () => {}, warn: console.warn, error: console.error };
  const postgres = await openEmbedded({ dataFolder: folder, mode: 'own', log });
  try {
    await prepareWorld(postgres.url);
    console.log(await machine(postgres.url, pinning));
    const missed: string[] = [];
    for (const benchmark of benchmarks.filter(one => names.length === 0 || names.includes(one.name))) {
      missed.push(...(await run(benchmark, postgres.url, pinning)));
    }
    for (const part of parts.filter(one => names.length === 0 || names.includes(one.name))) {
      const measured = await part.measure(postgres.url, pinning);
      console.log(measured.text);
      missed.push(...measured.missed);
    }
    console.log(missed.length === 0 ? '\nEvery bar was reached.' : `\nMissed:\n  ${missed.join('\n  ')}`);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(benchmark: Benchmark, url: string, pinning: Pinning | undefined): Promise<string[]> {
  await demandEqualAnswers(benchmark, url, pinning);
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
    : 'nothing is pinned: taskset is missing, or there is one CPU';
  const processor = `${cpus().length} CPUs (${cpus()[0]?.model})`;
  return `${processor}, Node ${process.versions.node}, PostgreSQL ${rows[0]?.server_version} embedded; ${where}.`;
}

await main(process.argv.slice(2));
