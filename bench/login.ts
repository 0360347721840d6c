import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hash, verify } from '@node-rs/argon2';
import { hashPassword, verifyPassword } from '../src/auth/passwords/hash.ts';

const rounds = 3;
const seconds = 2;
/** Logins that are always on their way: far fewer than may wait. */
const connections = 32;
const password = 'correct horse battery staple';

interface Round {
  throughput: number;
  /** Milliseconds of CPU per password. */
  cpu: number;
  /** Milliseconds, 99th percentile: how late the event loop turns, and how long a file waits for a thread of the pool. */
  loop: number;
  file: number;
}

/**
 * Passwords checked per second by `src/auth/passwords` and by the bare package with the same costs, in turns and in this
 * process. Not an HTTP benchmark like the others: the argon2 of one login costs as much as a hundred requests, so that what
 * stands around it cannot be seen. The bar is throughput; what the queue is for shows in the last two columns.
 */
export const login = {
  name: 'login',
  about: `one argon2id check (19 MiB, 2 passes, 1 lane), ${connections} at a time`,
  bar: 0.9,
  async measure(): Promise<{ text: string; missed: string[] }> {
    const stored = await hashPassword(password);
    const same = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
    const bare = await hash(password, same);
    assert.equal((await verifyPassword(stored, 'another')).ok, false);
    const contenders: Record<string, () => Promise<boolean>> = {
      portico: async () => (await verifyPassword(stored, password)).ok,
      'bare argon2': () => verify(bare, password),
    };
    const measured: Record<string, Round[]> = {};
    for (let at = 0; at <= rounds; at++) {
      for (const [label, check] of Object.entries(contenders)) {
        const round = await load(check);
        // The first is the warm-up.
        if (at > 0) measured[label] = [...(measured[label] ?? []), round];
      }
    }
    return report(measured);
  },
};

async function load(check: () => Promise<boolean>): Promise<Round> {
  const end = performance.now() + seconds * 1000;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.cpuUsage();
  const started = performance.now();
  let checked = 0;
  const files: number[] = [];
  delay.enable();
  const probe = async (): Promise<void> => {
    while (performance.now() < end) {
      const asked = performance.now();
      await stat('/');
      files.push(performance.now() - asked);
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  };
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      assert.ok(await check());
      checked++;
    }
  };
  await Promise.all([probe(), ...Array.from({ length: connections }, client)]);
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  return {
    throughput: (checked / (performance.now() - started)) * 1000,
    cpu: (user + system) / 1000 / checked,
    loop: delay.percentile(99) / 1e6,
    file: files.toSorted((a, b) => a - b)[Math.floor(files.length * 0.99)] ?? Number.NaN,
  };
}

function report(measured: Record<string, Round[]>): { text: string; missed: string[] } {
  const rows = Object.entries(measured).map(([label, all]) => {
    const of = (figure: keyof Round, digits: number): string => middle(all.map(one => one[figure])).toFixed(digits);
    return `  ${label.padEnd(12)} ${of('throughput', 1).padStart(6)} logins/s   CPU ${of('cpu', 1)} ms   loop p99 ${of('loop', 1)} ms   file p99 ${of('file', 1)} ms`;
  });
  const ours = measured.portico ?? [];
  const ratios = ours.map((one, at) => one.throughput / (measured['bare argon2']?.[at]?.throughput ?? Number.NaN));
  const ratio = middle(ratios);
  const reached = ratio >= login.bar;
  const shown = ratios.map(one => one.toFixed(2)).join(', ');
  const line = `  portico / bare argon2, throughput: ${ratio.toFixed(2)} (rounds: ${shown}); the bar is ≥ ${login.bar}: ${reached ? 'reached' : 'MISSED'}`;
  return {
    text: [`\n${login.name}: ${login.about}\n`, ...rows, line].join('\n'),
    missed: reached ? [] : [`${login.name}: ${line.trim()}`],
  };
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (import.meta.main) console.log((await login.measure()).text);
