import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Case, findFailure } from './complexity.ts';
import type { Call } from './measure.ts';

/** Work of this many steps of about a nanosecond, without globals: they are slow in the context of a test. */
function spend(steps: number): number {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum * 31 + step) | 0;
  return sum;
}

const caseOf = (prepare: (size: number) => Call, largest = 1_000_000): Case => ({
  name: 'a function',
  covers: [],
  sizes: { from: 1_000, largest },
  prepare,
});

test('linear work within a slice is accepted', async () => {
  expect(await findFailure(caseOf(size => () => spend(4 * size)))).toBeUndefined();
});

test('quadratic work is refused', async () => {
  expect(await findFailure(caseOf(size => () => spend(size * size), 100_000))).toMatch(
    /^CPU time grows [34]\.\d times/,
  );
});

test('linear work is refused when one slice is too long, and accepted with turns of the event loop', async () => {
  expect(await findFailure(caseOf(size => () => spend(100 * size)))).toMatch(/^One slice takes \d+ ms/);
  const inTurns = (size: number) => async (): Promise<void> => {
    for (let part = 0; part < 100; part++) {
      spend(size);
      await setImmediate();
    }
  };
  expect(await findFailure(caseOf(inTurns))).toBeUndefined();
});

test('work that doubles with each step is refused unless an error ends it', async () => {
  const steps = [10, 14, 18, 22, 26, 60];
  const bomb: Case = { ...caseOf(size => () => spend(2 ** size * 10)), sizes: { steps, maxCpuMs: 200 } };
  expect(await findFailure(bomb)).toMatch(/^More than \d+ ms of CPU time/);
  const limited = (size: number) => (): void => {
    spend(Math.min(2 ** size, 100_000));
    if (size > 16) throw new Error('That is too much.');
  };
  expect(await findFailure({ ...bomb, prepare: limited })).toBeUndefined();
});

test('a case whose smallest input is refused measures nothing', async () => {
  const refusing = caseOf(() => () => {
    throw new Error('It is no input.');
  });
  expect(await findFailure(refusing)).toBe('The smallest input is refused: It is no input.');
});
