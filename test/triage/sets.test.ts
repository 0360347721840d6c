import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findDanger } from 'triage';
import { isOrdinary, isRight, readSets, type SetItem } from '../../packages/triage/sets/read-sets.ts';

const items = readSets(join(import.meta.dirname, '../../packages/triage/sets'));
const languages = [...new Set(items.map(({ lang }) => lang))];
/** The texts that are judged wrongly. */
async function wrongOf(those: readonly SetItem[]): Promise<string[]> {
  const judged = await Promise.all(those.map(async item => ({ item, found: await findDanger(item.text) })));
  return judged
    .filter(({ item, found }) => !isRight(item, found))
    .map(({ item, found }) => `${item.level} read as ${found.level}: ${item.text}`);
}

test('the sets hold eleven languages, a thousand ordinary messages and 390 dangers', () => {
  expect(languages).toHaveLength(11);
  expect(items.filter(isOrdinary).length).toBeGreaterThanOrEqual(1_000);
  expect(items.filter(item => !isOrdinary(item)).length).toBeGreaterThanOrEqual(390);
});

/** Texts of one language and half are 45 and 18: more than one wrong is more than chance. */
const mostWrong = 1;

describe.each(['tuning', 'second'] as const)('the %s half', half => {
  const ordinary = items.filter(item => item.half === half && isOrdinary(item));
  const dangers = items.filter(item => item.half === half && !isOrdinary(item));

  test('at most 1 % of the ordinary messages alarm', async () =>
    expect((await wrongOf(ordinary)).length).toBeLessThanOrEqual(ordinary.length / 100));
  test('at least 98 % of the dangers are found', async () =>
    expect((await wrongOf(dangers)).length).toBeLessThanOrEqual(dangers.length / 50));

  test.each(languages)('in %s', async lang => {
    for (const those of [ordinary, dangers])
      expect((await wrongOf(those.filter(item => item.lang === lang))).slice(mostWrong)).toEqual([]);
  });

  test.each(['negation', 'complaint', 'life', 'question'])('ordinary messages about %s', async kind => {
    const those = ordinary.filter(item => item.kind === kind);
    expect((await wrongOf(those)).length).toBeLessThanOrEqual(those.length / 50);
  });
});
