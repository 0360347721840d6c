import { expect, test } from '@jest/globals';
import { FairSlots } from '../../src/workers/fair-slots.ts';

const full = new Error('full');
const slots = (size: number, maxPerKey: number): FairSlots =>
  new FairSlots({ size, maxPerKey, maxQueued: 4, maxQueuedPerKey: 3, fullError: () => full });

/** Runs works that end one by one, and returns the keys in the order in which they began. */
async function orderOf(of: FairSlots, keys: string[]): Promise<string[]> {
  const begun: string[] = [];
  await Promise.all(
    keys.map(key =>
      of.run(key, async () => {
        begun.push(key);
        await new Promise(resolve => setImmediate(resolve));
      }),
    ),
  );
  return begun;
}

test('a key that has held a slot waits behind one that has not', async () => {
  expect(await orderOf(slots(1, 1), ['a', 'a', 'a', 'b'])).toEqual(['a', 'b', 'a', 'a']);
});

test('one key never holds all slots', async () => {
  expect(await orderOf(slots(2, 1), ['a', 'a', 'b'])).toEqual(['a', 'b', 'a']);
});

test('beyond the queue of a key and of all it throws, and a slot is released after an error', async () => {
  const of = slots(1, 1);
  const release = await of.acquire('a');
  const waiting = ['a', 'a', 'a', 'b'].map(key => of.run(key, () => Promise.reject(new Error(key))));
  await expect(of.acquire('a')).rejects.toBe(full);
  await expect(of.acquire('c')).rejects.toBe(full);
  release();
  expect((await Promise.allSettled(waiting)).map(one => one.status)).toEqual(Array(4).fill('rejected'));
  expect(await orderOf(of, ['a'])).toEqual(['a']);
});
