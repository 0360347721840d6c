import { expect, test } from '@jest/globals';
import { WorkerPool } from '../../src/workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../src/workers/worker-task.ts';
import type { ProbeInput } from './probe-worker.ts';

const probe: WorkerTask<ProbeInput, unknown> = {
  name: 'probe',
  program: programBeside(import.meta.url, 'probe-worker'),
  deadlineMs: 60_000,
  maxQueued: 2,
  maxQueuedPerKey: 1,
  maxQueueMs: 60_000,
};
const state = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));
const begun = async (of: Int32Array, runs = 1): Promise<void> => {
  while (Atomics.load(of, 0) < runs) await new Promise(setImmediate);
};
const release = (of: Int32Array): void => {
  Atomics.store(of, 1, 1);
  Atomics.notify(of, 1);
};

test('a run resolves to the value that its task returns, and the thread has no environment variables', async () => {
  const pool = new WorkerPool(2);
  const value = { text: 'ä', bytes: new Uint8Array([1, 2]) };
  expect(await pool.run(probe, { act: 'echo', value })).toEqual({ kind: 'done', value });
  expect(await pool.run(probe, { act: 'settings' })).toEqual({ kind: 'done', value: [] });
});

test('a run is terminated at its deadline, and the next run gets a new thread', async () => {
  const pool = new WorkerPool(2);
  const spin = pool.run(probe, { act: 'spin', state: state() }, { deadlineMs: 50 });
  expect(await spin).toEqual({ kind: 'exhausted', limit: 'time' });
  expect(await pool.run(probe, { act: 'echo', value: 1 })).toEqual({ kind: 'done', value: 1 });
});

test('a run that exhausts its memory is terminated, and later runs succeed', async () => {
  const pool = new WorkerPool(2, { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 });
  expect(await pool.run(probe, { act: 'fill' })).toEqual({ kind: 'exhausted', limit: 'memory' });
  expect(await pool.run(probe, { act: 'echo', value: 1 })).toEqual({ kind: 'done', value: 1 });
});

test('an exception in a task rejects the run', async () => {
  const pool = new WorkerPool(2);
  await expect(pool.run(probe, { act: 'throw' })).rejects.toThrow('a defect of the task');
});

test('one task never occupies all threads', async () => {
  const pool = new WorkerPool(2);
  const other = { ...probe };
  const first = state();
  const running = pool.run(probe, { act: 'wait', state: first }, { key: 'a' });
  await begun(first);
  const queued = pool.run(probe, { act: 'echo', value: 2 }, { key: 'b' });
  expect(await pool.run(other, { act: 'echo', value: 3 }, { key: 'c' })).toEqual({ kind: 'done', value: 3 });
  release(first);
  expect(await running).toEqual({ kind: 'done', value: 'waited' });
  expect(await queued).toEqual({ kind: 'done', value: 2 });
});

test('a run beyond the maximum queue length, per key or in total, is rejected at once', async () => {
  const pool = new WorkerPool(3);
  const blocker = state();
  const running = pool.run(probe, { act: 'wait', state: blocker }, { key: 'a' });
  await begun(blocker);
  const second = pool.run(probe, { act: 'wait', state: blocker }, { key: 'b' });
  await begun(blocker, 2);
  const waiting = pool.run(probe, { act: 'echo', value: 1 }, { key: 'a' });
  expect(await pool.run(probe, { act: 'echo', value: 2 }, { key: 'a' })).toEqual({ kind: 'busy' });
  const another = pool.run(probe, { act: 'echo', value: 3 }, { key: 'c' });
  expect(await pool.run(probe, { act: 'echo', value: 4 }, { key: 'd' })).toEqual({ kind: 'busy' });
  release(blocker);
  expect(await Promise.all([running, second, waiting, another])).toEqual(
    ['waited', 'waited', 1, 3].map(value => ({ kind: 'done', value })),
  );
});

test('a run that is queued for too long is rejected, and the running one continues', async () => {
  const pool = new WorkerPool(2);
  const blocker = state();
  const running = pool.run(probe, { act: 'wait', state: blocker });
  await begun(blocker);
  const impatient = { ...probe, program: probe.program, maxQueueMs: 1 };
  const blocking = pool.run(impatient, { act: 'wait', state: blocker });
  await begun(blocker, 2);
  expect(await pool.run(impatient, { act: 'echo', value: 1 })).toEqual({ kind: 'busy' });
  release(blocker);
  expect(await running).toEqual({ kind: 'done', value: 'waited' });
  expect(await blocking).toEqual({ kind: 'done', value: 'waited' });
});

test('a key that has used more time is scheduled after a key that has used less', async () => {
  const pool = new WorkerPool(2);
  await pool.run(probe, { act: 'spin', state: state() }, { key: 'greedy', deadlineMs: 50 });
  const blocker = state();
  const running = pool.run(probe, { act: 'wait', state: blocker }, { key: 'third' });
  await begun(blocker);
  const order: string[] = [];
  const recordRun = (key: string): Promise<unknown> =>
    pool.run(probe, { act: 'echo', value: 1 }, { key }).then(() => order.push(key));
  const both = [recordRun('greedy'), recordRun('modest')];
  release(blocker);
  await Promise.all([running, ...both]);
  expect(order).toEqual(['modest', 'greedy']);
});
