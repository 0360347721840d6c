import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hash, verify } from '@node-rs/argon2';
import pg from 'pg';
import { hashPassword, verifyPassword } from '../src/auth/passwords/hash.ts';
import type { Pinning } from './pinning.ts';
import { startServer } from './server.ts';

const rounds = 3;
const seconds = 3;
/** Concurrent logins: far fewer than may queue. */
const connections = 32;
/** Each client logs in to its own account: with one row they would wait for each other. */
const email = (client: number): string => `login-bench-${client}@example.org`;
const password = 'correct horse battery staple';

interface Round {
  checked: number;
  throughput: number;
  /** Milliseconds of CPU per password. */
  cpu: number;
  /** 99th percentile in milliseconds: delay of the event loop, and wait of a file operation for a libuv thread. */
  loop: number;
  file: number;
}

/**
 * Complete logins per second through the REST API; and in this process, on another CPU, password checks by `src/auth/passwords`
 * and by the bare package with the same parameters, all in turns. The bar compares logins per second of CPU with the bare
 * package; the last two columns, of this process, show the purpose of the hash queue.
 */
export const login = {
  name: 'login',
  about: `POST /api/v1/auth/login/ and one argon2id check (19 MiB, 2 passes, 1 lane), ${connections} at a time`,
  bar: 0.8,
  async measure(url: string, pinning: Pinning | undefined): Promise<{ text: string; missed: string[] }> {
    const stored = await hashPassword(password);
    await addAccounts(url, stored);
    const server = await startServer('gateway', url, pinning);
    const same = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
    const bare = await hash(password, same);
    assert.equal((await verifyPassword(stored, 'another')).ok, false);
    const contenders: Record<string, (client: number) => Promise<boolean>> = {
      login: client => logIn(server.address, client),
      'its check': async () => (await verifyPassword(stored, password)).ok,
      'bare argon2': () => verify(bare, password),
    };
    const measured: Record<string, Round[]> = {};
    try {
      for (let at = 0; at <= rounds; at++) {
        for (const [label, check] of Object.entries(contenders)) {
          const before = await server.cpu();
          const round = await load(check);
          if (label === 'login') round.cpu = ((await server.cpu()) - before) / 1000 / round.checked;
          // The first is the warm-up.
          if (at > 0) measured[label] = [...(measured[label] ?? []), round];
        }
      }
    } finally {
      await server.stop();
    }
    return report(measured);
  },
};

async function addAccounts(url: string, passwordHash: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `insert into users (email, password_hash, first_name, is_active, is_verified, date_joined, last_seen_at)
     select email, $2, 'Bench', true, true, now(), now() from unnest($1::text[]) email`,
    [Array.from({ length: connections }, (_, at) => email(at)), passwordHash],
  );
  await client.end();
}

async function logIn(address: string, client: number): Promise<boolean> {
  const answer = await fetch(`${address}/api/v1/auth/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: email(client), password }),
  });
  const { access } = (await answer.json()) as { access?: string };
  return answer.status === 201 && access !== undefined;
}

async function load(check: (client: number) => Promise<boolean>): Promise<Round> {
  const end = performance.now() + seconds * 1000;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.cpuUsage();
  const started = performance.now();
  let checked = 0;
  const files: number[] = [];
  delay.enable();
  const probe = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await stat('/');
      files.push(performance.now() - start);
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  };
  const client = async (_: unknown, at: number): Promise<void> => {
    while (performance.now() < end) {
      assert.ok(await check(at));
      checked++;
    }
  };
  await Promise.all([probe(), ...Array.from({ length: connections }, client)]);
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  return {
    checked,
    throughput: (checked / (performance.now() - started)) * 1000,
    cpu: (user + system) / 1000 / checked,
    loop: delay.percentile(99) / 1e6,
    file: files.toSorted((a, b) => a - b)[Math.floor(files.length * 0.99)] ?? Number.NaN,
  };
}

function report(measured: Record<string, Round[]>): { text: string; missed: string[] } {
  const rows = Object.entries(measured).map(([label, all]) => {
    const of = (figure: keyof Round, digits: number): string => median(all.map(one => one[figure])).toFixed(digits);
    return `  ${label.padEnd(12)} ${of('throughput', 1).padStart(6)} logins/s   CPU ${of('cpu', 1)} ms   loop p99 ${of('loop', 1)} ms   file p99 ${of('file', 1)} ms`;
  });
  const ours = measured.login ?? [];
  // Per second of CPU, because other load affects the CPUs differently.
  const ratios = ours.map((one, at) => (measured['bare argon2']?.[at]?.cpu ?? Number.NaN) / one.cpu);
  const ratio = median(ratios);
  const reached = ratio >= login.bar;
  const shown = ratios.map(one => one.toFixed(2)).join(', ');
  const line = `  logins / bare argon2, per second of CPU: ${ratio.toFixed(2)} (rounds: ${shown}); the bar is ≥ ${login.bar}: ${reached ? 'reached' : 'MISSED'}`;
  return {
    text: [`\n${login.name}: ${login.about}\n`, ...rows, line].join('\n'),
    missed: reached ? [] : [`${login.name}: ${line.trim()}`],
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
