import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from '../scripts/build.ts';
import { findFreePort } from '../src/db/embedded-postmaster.ts';
import { processCpu } from './process-stat.ts';

/**
 * Measures `npm start` from the launch of Node.js until the port answers: `node bench/start.ts [runs]`. Linux only: CPU time and
 * memory are read from /proc.
 *
 * - build: a build from nothing.
 * - first: an empty data folder and an empty compile cache.
 * - warm: an existing database and a filled compile cache.
 */
interface Start {
  /** Milliseconds until GET /livez answers. */
  wallMs: number;
  /** User and system time of the process until then, in steps of 10 ms. */
  cpuMs: number;
  /** Resident memory 3 s later, in MB. */
  idleMb: number;
}

const root = join(import.meta.dirname, '..');
const runs = Number(process.argv[2] ?? 5);
const dataFolder = join(tmpdir(), `portico-bench-start-${process.pid}`);
const [freePort, waitMs] = [await findFreePort(), 5];

async function start(): Promise<Start> {
  const begin = performance.now();
  const env = { NODE_ENV: 'production', PORT: String(freePort), PORTICO_DATA: dataFolder, LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [join(root, 'scripts', 'start.ts')], {
    env,
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode}.`);
    await delay(waitMs);
  }
  const wallMs = performance.now() - begin;
  const cpuMs = cpuMsOf(child);
  await delay(3_000);
  const idleMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { wallMs, cpuMs, idleMb };
}

async function answers(): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${freePort}/livez`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok === true;
}

const cpuMsOf = ({ pid = 0 }: ChildProcess): number => processCpu(pid) / 1000;

function report(name: string, values: readonly number[], unit: string): void {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, median, high] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(one =>
    Math.round(one ?? 0),
  );
  console.log(`${name.padEnd(20)} ${String(median).padStart(6)} ${unit}   (${low} to ${high})`);
}

try {
  const builds: number[] = [];
  const firsts: Start[] = [];
  const warms: Start[] = [];
  for (let round = 0; round < runs; round++) {
    rmSync(dataFolder, { recursive: true, force: true });
    const begin = performance.now();
    build();
    builds.push(performance.now() - begin);
    firsts.push(await start());
    warms.push(await start());
  }
  console.log(`${runs} runs: median (lowest to highest)`);
  report('build', builds, 'ms');
  for (const [name, starts] of [['first', firsts] as const, ['warm', warms] as const]) {
    report(
      `${name}, wall`,
      starts.map(one => one.wallMs),
      'ms',
    );
    report(
      `${name}, CPU`,
      starts.map(one => one.cpuMs),
      'ms',
    );
    report(
      `${name}, idle memory`,
      starts.map(one => one.idleMb),
      'MB',
    );
  }
} finally {
  rmSync(dataFolder, { recursive: true, force: true });
}
