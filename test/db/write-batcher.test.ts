import { expect, test } from '@jest/globals';
import { WriteBatcher } from '../../src/db/write-batcher.ts';

/** A write function whose calls end when the test resolves them, and the items of each call. */
function held() {
  const written: string[][] = [];
  const gates: (() => void)[] = [];
  const write = (items: readonly string[]): Promise<void> => {
    written.push([...items]);
    return new Promise(resolve => gates.push(resolve));
  };
  const begun = async (count: number): Promise<void> => {
    while (written.length < count) await new Promise(resolve => setImmediate(resolve));
  };
  return { written, write, begun, end: () => gates.shift()?.() };
}

test('items that arrive during a write form the next batches', async () => {
  const { written, write, begun, end } = held();
  const writes = new WriteBatcher({ write, maxItems: 3, intervalMs: 0 });
  const all = [writes.add('a'), writes.add('b')];
  await begun(1);
  all.push(...['c', 'd', 'e', 'f'].map(one => writes.add(one)));
  end();
  await begun(2);
  end();
  await begun(3);
  end();
  await Promise.all(all);
  expect(written).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']]);
});

test('a batch has at most maxBytes, except for a single larger item', async () => {
  const written: string[][] = [];
  const writes = new WriteBatcher<string>({
    write: async items => written.push([...items]),
    maxItems: 10,
    size: { bytesOf: ({ length }) => length, maxBytes: 5 },
    intervalMs: 0,
  });
  await Promise.all(['aa', 'bbb', 'c', 'dddddddd', 'e'].map(one => writes.add(one)));
  expect(written).toEqual([['aa', 'bbb'], ['c'], ['dddddddd'], ['e']]);
});

test('an item that cannot be written fails alone', async () => {
  const written: string[] = [];
  const writes = new WriteBatcher<string>({
    write: async items => {
      if (items.includes('bad')) throw new Error('refused');
      written.push(...items);
    },
    maxItems: 10,
    intervalMs: 0,
  });
  const ends = await Promise.allSettled(['a', 'bad', 'b'].map(one => writes.add(one)));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual(['a', 'b']);
  await writes.add('later');
  expect(written).toEqual(['a', 'b', 'later']);
});
