import { expect, test } from '@jest/globals';
import { KeyedBatchQueue, type Outcome } from '../../src/db/keyed-batch-queue.ts';

/** A queue whose batches end when the test resolves them, and the batches that it has started. */
function heldQueue(timeout?: { ms: number; outcome(job: string): Outcome<string> }) {
  const started: string[][] = [];
  const gates: (() => void)[] = [];
  const queue = new KeyedBatchQueue<string, string>({
    maxItems: 2,
    ...(timeout ? { timeout } : {}),
    async runBatch(jobs) {
      started.push([...jobs]);
      await new Promise<void>(resolve => gates.push(resolve));
      return jobs.map(job => (job === 'bad' ? { error: new Error('refused') } : { value: `${job} done` }));
    },
  });
  return { queue, started, endBatch: () => gates.shift()?.() };
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test('jobs of one key that arrive during a batch form the next batches; another key does not wait', async () => {
  const { queue, started, endBatch } = heldQueue();
  const jobs = ['a', 'b', 'c', 'd'].map(job => queue.run('main', job));
  const other = queue.run('topic', 'x');
  expect(started).toEqual([['a'], ['x']]);
  endBatch();
  endBatch();
  expect([await jobs[0], await other]).toEqual(['a done', 'x done']);
  await turn();
  endBatch();
  await turn();
  endBatch();
  expect(await Promise.all(jobs)).toEqual(['a done', 'b done', 'c done', 'd done']);
  expect(started).toEqual([['a'], ['x'], ['b', 'c'], ['d']]);
});

test('a job fails alone', async () => {
  const { queue, endBatch } = heldQueue();
  const jobs = ['a', 'bad', 'b'].map(job => queue.run('main', job));
  const settled = Promise.allSettled(jobs);
  endBatch();
  await turn();
  endBatch();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a job that has waited too long leaves the queue', async () => {
  const { queue, started, endBatch } = heldQueue({ ms: 10, outcome: job => ({ value: `${job} timed out` }) });
  const first = queue.run('main', 'a');
  expect(await queue.run('main', 'b')).toBe('b timed out');
  endBatch();
  expect(await first).toBe('a done');
  await turn();
  expect(started).toEqual([['a']]);
});
