import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Hold } from './held-server-process.ts';
import { hasThreadTimes, Probes } from './probes.ts';

const program = join(import.meta.dirname, 'held-server-process.ts');

async function server(): Promise<{ child: ChildProcess; address: string }> {
  const child = fork(program, { execArgv: [] });
  const [address] = await once(child, 'message');
  return { child, address: String(address) };
}

(hasThreadTimes ? describe : describe.skip)('the delay that probes see', () => {
  let held: ChildProcess;
  let probes: Probes;
  beforeAll(async () => {
    const { child, address } = await server();
    held = child;
    probes = new Probes(address, child.pid ?? 0);
  });
  afterAll(() => {
    probes.end();
    held.disconnect();
  });

  async function delayOf(hold: Hold): Promise<number> {
    const { delayMs, unanswered } = await probes.during(async () => {
      await delay(50);
      held.send(hold);
      await once(held, 'message');
      await delay(50);
    });
    expect(unanswered).toBe(0);
    return delayMs;
  }

  test('is over 130 ms for a loop held by 150 ms of CPU time', async () => {
    expect(await delayOf({ how: 'compute', holdMs: 150 })).toBeGreaterThan(130);
  });

  test('is over 130 ms for a loop held by a synchronous wait', async () => {
    expect(await delayOf({ how: 'wait', holdMs: 1_000 })).toBeGreaterThan(130);
  });

  test('is below 100 ms for a second of work in turns of 20 ms', async () => {
    expect(await delayOf({ how: 'turns', holdMs: 1_000 })).toBeLessThan(100);
  });

  test('is below 100 ms while other programs use every CPU', async () => {
    const others = await Promise.all(Array.from({ length: 2 * availableParallelism() }, server));
    const { delayMs, worst } = await probes.during(async () => {
      const all = others.map(({ child }) => {
        child.send({ how: 'compute', holdMs: 300 } satisfies Hold);
        return once(child, 'message');
      });
      await Promise.all(all);
    });
    for (const { child } of others) child.disconnect();
    expect(delayMs).toBeLessThan(100);
    // Without the account of Linux they would have failed.
    expect(worst.wallMs).toBeGreaterThan(delayMs);
  });
});
