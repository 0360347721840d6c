import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { IsolatedWork, requestQueue, type WorkCaller } from '../../src/workers/isolated-work.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { WorkProcesses, type WorkProcessesOptions } from '../../src/workers/work-processes.ts';
import { type ProbeWork, probeWork } from './probe-work.ts';

type Act = ProbeWork extends infer One ? (One extends ProbeWork ? Omit<One, 'repositoryId'> : never) : never;

const databaseUrl = 'postgres://name:secret-of-the-database@127.0.0.1:1/none';
const opened: WorkProcesses[] = [];
afterAll(() => {
  for (const one of opened) one.stop();
});

function isolated(options: Partial<WorkProcessesOptions> = {}) {
  const failures: string[] = [];
  const processes = new WorkProcesses({
    program: new URL('./probe-work-program.ts', import.meta.url),
    start: { kind: 'start', database: { url: databaseUrl, isBehindPooler: false }, statementTimeoutMs: 1_000 },
    size: 2,
    maxHeapMb: 64,
    maxDataMb: 300,
    onFailure: error => failures.push(error.message),
    ...options,
  });
  opened.push(processes);
  return { processes, failures, work: new IsolatedWork(processes, { trialMs: 0 }) };
}

interface Calling {
  key?: string;
  repositoryId?: number;
  milliseconds?: number;
  limits?: WorkCaller['limits'];
  charge?: (microseconds: number) => void;
  budget?: WorkBudget;
}

const limited = (milliseconds: number): WorkBudget =>
  new WorkBudget({ steps: 1e9, objects: 1e9, bytes: 1e9, milliseconds });

function run(work: IsolatedWork, act: Act, calling: Calling = {}): Promise<unknown> {
  const { key = 'a', repositoryId = 0, milliseconds = 30_000, limits = requestQueue, charge = () => {} } = calling;
  const isolation = work.for({ key, limits, deadlineMs: 600_000, charge });
  const source = { read: async () => [], workBudget: calling.budget ?? limited(milliseconds) };
  return isolation.run(probeWork, { ...act, repositoryId } as ProbeWork, source);
}

const unavailable = (reason: string) => ({
  extensions: { code: 'SERVICE_UNAVAILABLE', reason, http: { status: 503 } },
});

test('the result is a copy of what the computation returns, and its CPU time and work are charged', async () => {
  const { work, processes } = isolated();
  expect(processes.counts.running).toBe(0);
  const value = { text: 'ä', bytes: Buffer.from([0, 255]), map: new Map([['a', new Set([1])]]), none: undefined };
  expect(await run(work, { act: 'echo', value })).toEqual(value);
  let cpu = 0;
  const budget = limited(10_000);
  await run(work, { act: 'work', milliseconds: 50 }, { budget, charge: microseconds => (cpu += microseconds) });
  expect(cpu).toBeGreaterThan(1_000);
  expect(budget.state.left.steps).toBeLessThan(1e9);
});

test('a process has limits of the kernel, a lower priority, and neither settings nor addresses to be seen', async () => {
  const { work } = isolated();
  const limits = (await run(work, { act: 'limits' })) as Record<string, unknown>;
  expect(limits).toMatchObject({ data: expect.any(Number), niceness: 10 });
  expect(limits.environment).not.toContain('NODE_ENV');
  expect(limits.arguments).not.toContain('secret');
});

test('errors arrive as they are: spent budgets with their limit, defects with their message', async () => {
  const { work } = isolated();
  await expect(run(work, { act: 'spend' }, { milliseconds: 100 })).rejects.toMatchObject({
    name: 'WorkBudgetError',
    limit: 'milliseconds',
    message: expect.stringContaining('WORK_TIMEOUT_MS'),
  });
  await expect(run(work, { act: 'throw' })).rejects.toThrow('a defect of the computation');
});

describe('the end of a process hurts the one computation that it ran', () => {
  test('by kill -9', async () => {
    const { work, processes, failures } = isolated();
    const pid = (await run(work, { act: 'pid' })) as number;
    expect(processes.pids).toEqual([pid]);
    const spinning = run(work, { act: 'spin' });
    const beside = run(work, { act: 'work', milliseconds: 200 }, { key: 'b' });
    // A message has arrived when a later one of the same process would have: the process is busy either way.
    await delay(20);
    process.kill(pid, 'SIGKILL');
    await expect(spinning).rejects.toMatchObject(unavailable('work_ended'));
    expect(await beside).toBe(200);
    expect(await run(work, { act: 'echo', value: 1 })).toBe(1);
    expect(processes.counts.ends).toEqual({ deadline: 0, killed: 1, memory: 0 });
    expect(failures).toEqual(['A process for heavy work ended (killed).']);
  });

  test.each(['grow-map', 'grow-buffers'] as const)(
    'by memory: %s',
    async act => {
      const { work, processes } = isolated();
      await expect(run(work, { act }, { milliseconds: 600_000 })).rejects.toMatchObject(unavailable('work_ended'));
      expect(processes.counts.ends).toEqual({ deadline: 0, killed: 0, memory: 1 });
      expect(await run(work, { act: 'echo', value: 1 })).toBe(1);
    },
    240_000,
  );

  test('at its deadline, in a loop that spends nothing; its time is charged', async () => {
    const { work, processes } = isolated();
    let cpu = 0;
    const calling = { milliseconds: 50, charge: (microseconds: number) => (cpu += microseconds) };
    await expect(run(work, { act: 'spin' }, calling)).rejects.toMatchObject(unavailable('work_ended'));
    expect(cpu).toBeGreaterThan(1_000_000);
    expect(processes.counts.ends).toEqual({ deadline: 1, killed: 0, memory: 0 });
    expect(await run(work, { act: 'echo', value: 1 })).toBe(1);
  });
});

test('a process ends after some time without work, and the next work starts another one', async () => {
  const { work, processes } = isolated({ idleMs: 50 });
  const first = (await run(work, { act: 'pid' })) as number;
  while (processes.counts.running > 0) await delay(10);
  // It is gone and not only forgotten.
  while (isAlive(first)) await delay(10);
  expect(await run(work, { act: 'pid' })).not.toBe(first);
  expect(processes.counts.starts).toBe(2);
});

test('a repository stays with one process while that is free', async () => {
  const { work } = isolated();
  const pids = new Set<unknown>();
  for (let n = 0; n < 4; n++) pids.add(await run(work, { act: 'pid' }, { repositoryId: 7 }));
  expect(pids.size).toBe(1);
});

test('twenty computations of one caller delay one of another caller by at most one', async () => {
  const { work } = isolated();
  // Both processes have started.
  await Promise.all(['many', 'few'].map((key, n) => run(work, { act: 'work', milliseconds: 100 + n }, { key })));
  const order: string[] = [];
  const all = Array.from({ length: 20 }, async (_, n) => {
    await run(work, { act: 'work', milliseconds: 30 + n / 100 }, { key: 'many' });
    order.push('many');
  });
  const other = run(work, { act: 'work', milliseconds: 29 }, { key: 'few' }).then(() => order.push('few'));
  await Promise.all([...all, other]);
  expect(order.indexOf('few')).toBeLessThanOrEqual(2);
});

test('beyond its queue a caller is refused, and others are not', async () => {
  const { work } = isolated();
  const limits = { maxQueued: 10, maxQueuedPerKey: 1, maxQueueMs: 60_000 };
  const works = [1, 2, 3].map(n => run(work, { act: 'work', milliseconds: 50 + n }, { limits }));
  const results = await Promise.allSettled([...works, run(work, { act: 'echo', value: 1 }, { key: 'b', limits })]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: unavailable('work_busy') });
});

test('equal computations at a time are one', async () => {
  const { work, processes } = isolated();
  const all = await Promise.all(['a', 'b', 'c'].map(key => run(work, { act: 'work', milliseconds: 40 }, { key })));
  expect(all).toEqual([40, 40, 40]);
  expect(processes.counts.runs).toBe(1);
});

test('work that nobody waits for any more ends, and work that one of two callers waits for does not', async () => {
  const { work, processes } = isolated({ size: 1 });
  const none = Number.POSITIVE_INFINITY;
  const until = (signal: AbortSignal): WorkBudget =>
    new WorkBudget({ steps: none, objects: none, bytes: none, milliseconds: 60_000 }, signal);
  const [one, other] = [new AbortController(), new AbortController()];
  const leaving = new Error('The request has ended.');
  const act = { act: 'work', milliseconds: 300 } as const;
  const first = run(work, act, { budget: until(one.signal) });
  const second = run(work, act, { key: 'b', budget: until(other.signal) });
  while (processes.counts.busy === 0) await delay(5);
  one.abort(leaving);
  expect(await second).toBe(300);
  await expect(first).rejects.toBe(leaving);
  const long = run(work, { act: 'spend' }, { budget: until(other.signal) });
  while (processes.counts.busy === 0) await delay(5);
  other.abort(leaving);
  await expect(long).rejects.toBe(leaving);
  while (processes.counts.busy > 0) await delay(5);
  // The process is the same, and free.
  expect(await run(work, { act: 'echo', value: 1 })).toBe(1);
  expect(processes.counts.starts).toBe(1);
}, 20_000);

test('where no process can start, the computation runs in this one', async () => {
  const { work, failures } = isolated({ program: new URL('./no-such-program.ts', import.meta.url) });
  expect(await run(work, { act: 'pid' })).toBe(process.pid);
  expect(await run(work, { act: 'pid' })).toBe(process.pid);
  expect(failures).toEqual(['A process for heavy work could not start.']);
});

test('light computations stay in this process, heavy ones go to another', async () => {
  const { processes } = isolated();
  const work = new IsolatedWork(processes, { trialMs: 20 });
  expect(await run(work, { act: 'pid' })).toBe(process.pid);
  expect(processes.counts.runs).toBe(0);
  await run(work, { act: 'work', milliseconds: 200 });
  expect(processes.counts.runs).toBe(1);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
