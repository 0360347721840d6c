import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { archives } from '../bench/archives.ts';
import { attacksBench } from '../bench/attacks.ts';
import type { Benchmark, BenchOptions, BenchPart, BenchResult } from '../bench/benchmark.ts';
import { chatPage } from '../bench/chat-page.ts';
import { chatWrite } from '../bench/chat-write.ts';
import { withCleanup } from '../bench/cleanup.ts';
import { companionRetrieval } from '../bench/companion-retrieval.ts';
import { comparable, compareWith } from '../bench/compare.ts';
import { contents } from '../bench/contents.ts';
import { prepareContents } from '../bench/contents-world.ts';
import { contentsWrite } from '../bench/contents-write.ts';
import { credential } from '../bench/credential.ts';
import { dashboard } from '../bench/dashboard.ts';
import { deliveries } from '../bench/deliveries.ts';
import { detail } from '../bench/detail.ts';
import { assertEqualResponses } from '../bench/equal-responses.ts';
import { facadeBench } from '../bench/facade.ts';
import { feeds } from '../bench/feeds.ts';
import { fleetBench } from '../bench/fleet.ts';
import { gitHttp } from '../bench/git-http.ts';
import { gitImport } from '../bench/git-import.ts';
import { gitRead } from '../bench/git-read.ts';
import { gitStorage } from '../bench/git-storage.ts';
import { gitWrite } from '../bench/git-write.ts';
import { graphqlEntryPoint } from '../bench/graphql.ts';
import { growthBench } from '../bench/growth.ts';
import { history } from '../bench/history.ts';
import { hostingCredential } from '../bench/hosting-credential.ts';
import { likes } from '../bench/likes.ts';
import { limits, limitsOfContents, limitsOfList } from '../bench/limits.ts';
import { list } from '../bench/list.ts';
import { loadBuild } from '../bench/load-build.ts';
import { login } from '../bench/login.ts';
import { describeMachine, type Machine, machineLine } from '../bench/machine.ts';
import { measure } from '../bench/measure.ts';
import { messages } from '../bench/messages.ts';
import { modelAnswers } from '../bench/model-answers.ts';
import { pages } from '../bench/pages.ts';
import { peersBench } from '../bench/peers.ts';
import { type Pinning, pinThisProcess, unpinThisProcess } from '../bench/pinning.ts';
import { recommended } from '../bench/recommended.ts';
import { recommending } from '../bench/recommending.ts';
import { report } from '../bench/report.ts';
import { search } from '../bench/search.ts';
import { searchQuality } from '../bench/search-quality.ts';
import { sourceImport } from '../bench/source-import.ts';
import { suggestions } from '../bench/suggestions.ts';
import { triageBench } from '../bench/triage.ts';
import { prepareWorld } from '../bench/world.ts';
import { build, isStale } from './build.ts';

const benchmarks = [
  list,
  detail,
  search,
  recommended,
  dashboard,
  graphqlEntryPoint,
  contents,
  limitsOfList,
  limitsOfContents,
];
/** Measured at least partly in this process. Some fill the tables, so they run last. */
const parts: BenchPart[] = [
  peersBench,
  login,
  credential,
  hostingCredential,
  limits,
  gitWrite,
  contentsWrite,
  gitRead,
  gitImport,
  gitHttp,
  gitStorage,
  history,
  sourceImport,
  deliveries,
  recommending,
  suggestions,
  chatPage,
  chatWrite,
  likes,
  feeds,
  searchQuality,
  companionRetrieval,
  growthBench,
  archives,
  attacksBench,
  pages,
];

/** Need no PostgreSQL of the run: servers of their own, the package on a plain schema, and judgements of rules by sets of texts, which measure no time. */
const withoutDatabase: BenchPart[] = [facadeBench, triageBench, messages, modelAnswers, fleetBench];

/**
 * Their work is done by this process and PostgreSQL, for which one CPU would be half of the machine: they run last and
 * unpinned.
 */
const unpinned = [gitWrite, gitImport, gitHttp, gitStorage, history, sourceImport, deliveries, archives, attacksBench];

const usage = `npm run bench -- <name>…      measures those
npm run bench -- all          measures all, which takes an hour and a quiet machine
npm run bench -- compare <ref> [<name>…]   compares the working tree with a commit: ${comparable.join(', ')};
                              exit code 1 when one became slower by more than a tenth

  --json <file>     writes machine, settings and figures
  --rounds <n>      rounds of each contestant, where contestants take turns
  --seconds <n>     length of a round
  --warm-up <n>     requests before the first round (peers)
  --only <a,b>      those contestants (peers) or requests (growth)
  --sizes <a,b>     numbers of rows (growth)
  --half <name>     one half of the sets: tuning, held-out, fresh-b, fresh-c or fresh-d (messages, companion-retrieval, search-quality)
  --svg <file>      writes the plot (growth)`;

/** What `--json` writes. */
interface Report {
  machine?: Machine;
  results: { name: string; missed: string[]; figures: unknown; svg?: string }[];
}

/** Names what there is, or measures what is named. A missed bar is reported and does not fail. */
async function main(args: string[]): Promise<void> {
  const { values, positionals: names } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
      only: { type: 'string' },
      half: { type: 'string' },
      sizes: { type: 'string' },
      svg: { type: 'string' },
    },
  });
  const all = [...benchmarks, ...parts, ...withoutDatabase];
  if (names.length === 0) {
    const width = Math.max(...all.map(({ name }) => name.length));
    console.log([usage, '', ...all.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`)].join('\n'));
    return;
  }
  const options = readOptions(values);
  if (names[0] === 'compare') {
    await compareTrees(names.slice(1), options, values.json);
    return;
  }
  const unknown = names.filter(name => name !== 'all' && !all.some(one => one.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no benchmark ${unknown.join(', ')}. There are ${all.map(({ name }) => name).join(', ')}.`,
    );
  }
  if (isStale()) build();
  const isSelected = (item: { name: string }): boolean => names.includes('all') || names.includes(item.name);
  const isUnpinned = (item: { name: string }): boolean => unpinned.some(({ name }) => name === item.name);
  const results: Report = { results: [] };
  const pinned = {
    benchmarks: benchmarks.filter(isSelected),
    parts: parts.filter(part => isSelected(part) && !isUnpinned(part)),
  };
  if (pinned.benchmarks.length + pinned.parts.length > 0) {
    // Before PostgreSQL starts, which inherits the CPU affinity.
    const pinning = pinThisProcess();
    await session(pinned.benchmarks, pinned.parts, pinning, options, results);
    if (pinning) unpinThisProcess(pinning);
  }
  const alone = unpinned.filter(isSelected);
  if (alone.length > 0) await session([], alone, undefined, options, results);
  for (const part of withoutDatabase.filter(isSelected)) {
    const { text, missed, figures } = await part.measure('', undefined, options);
    console.log(text);
    results.results.push({ name: part.name, missed, figures });
  }
  const missed = results.results.flatMap(result => result.missed);
  console.log(missed.length === 0 ? '\nEvery bar was reached.' : `\nMissed:\n  ${missed.join('\n  ')}`);
  writeReport(values.json, results);
  const svg = results.results.find(result => result.svg !== undefined)?.svg;
  if (values.svg !== undefined && svg !== undefined) writeFileSync(values.svg, svg);
}

function writeReport(file: string | undefined, results: Report): void {
  if (file !== undefined)
    writeFileSync(file, `${JSON.stringify(results, (key, value) => (key === 'svg' ? undefined : value), 2)}\n`);
}

async function compareTrees([ref, ...names]: string[], options: BenchOptions, json: string | undefined): Promise<void> {
  const unknown = names.filter(name => !comparable.includes(name));
  if (ref === undefined || unknown.length > 0) throw new Error(`${unknown.join(', ')}\n${usage}`);
  if (isStale()) build();
  const pinning = pinThisProcess();
  await withCleanup(async onEnd => {
    const { url } = await startPostgres(onEnd);
    const machine = await describeMachine(url, pinning);
    console.log(machineLine(machine));
    const { text, missed, figures } = await compareWith(ref, names, { url, pinning, options, onEnd });
    console.log(text);
    writeReport(json, { machine, results: [{ name: 'compare', missed, figures }] });
    if (missed.length > 0) process.exitCode = 1;
  });
}

/** A PostgreSQL of the run, which is gone with its data at the end. */
async function startPostgres(onEnd: (undo: () => void | Promise<void>) => void): Promise<{ url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const { openEmbedded } = await loadBuild();
  const log = { info: () => {}, warn: console.warn, error: console.error };
  // More connections than by default: the peers are a dozen servers with a pool each.
  const settings = { max_connections: '250' };
  const postgres = await openEmbedded({ dataFolder: folder, mode: 'own', log, settings });
  onEnd(() => postgres.stop());
  return postgres;
}

function readOptions(values: Record<string, string | undefined>): BenchOptions {
  const count = (name: string): number | undefined => {
    const text = values[name];
    if (text === undefined) return undefined;
    if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} must be a positive integer, not "${text}".`);
    return Number(text);
  };
  const [rounds, seconds, warmUp] = [count('rounds'), count('seconds'), count('warm-up')];
  return {
    ...(rounds === undefined ? {} : { rounds }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(warmUp === undefined ? {} : { warmUp }),
    ...(values.half === undefined ? {} : { half: values.half }),
    ...(values.only === undefined ? {} : { only: values.only.split(',') }),
    ...(values.sizes === undefined ? {} : { sizes: values.sizes.split(',').map(Number) }),
  };
}

/** Runs with a separate PostgreSQL, and adds the results to the report. */
async function session(
  servers: readonly Benchmark[],
  measured: readonly BenchPart[],
  pinning: Pinning | undefined,
  options: BenchOptions,
  into: Report,
): Promise<void> {
  await withCleanup(async onEnd => {
    const { url } = await startPostgres(onEnd);
    await prepareWorld(url);
    await prepareContents(url);
    const machine = await describeMachine(url, pinning);
    into.machine ??= machine;
    console.log(machineLine(machine));
    for (const benchmark of servers) add(benchmark, await run(benchmark, url, pinning, options));
    for (const part of measured) add(part, await part.measure(url, pinning, options));
  });

  function add({ name }: { name: string }, { text, missed, figures, svg }: BenchResult): void {
    console.log(text);
    into.results.push({ name, missed, figures: figures ?? text, ...(svg === undefined ? {} : { svg }) });
  }
}

async function run(
  benchmark: Benchmark,
  url: string,
  pinning: Pinning | undefined,
  { rounds = benchmark.rounds, seconds = benchmark.seconds }: BenchOptions,
): Promise<BenchResult> {
  await assertEqualResponses(benchmark, url, pinning);
  const measured = await measure({ ...benchmark, rounds, seconds }, url, pinning);
  return { ...report(benchmark, measured), figures: Object.fromEntries(measured) };
}

await main(process.argv.slice(2));
