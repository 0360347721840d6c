import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type DangerLevel, findDanger } from 'triage';
import { readSets, type SetItem } from '../../packages/triage/sets/read-sets.ts';

const items = readSets(join(import.meta.dirname, '../../packages/triage/sets'));
const languages = [...new Set(items.map(({ lang }) => lang))];
const alarms: ReadonlySet<DangerLevel | null> = new Set(['crisis', 'emergency', 'urgent']);

/** Share of texts that alarm, in percent, and the texts for which that is wrong. */
async function judge(those: readonly SetItem[]): Promise<{ share: number; wrong: string[] }> {
  const judged = await Promise.all(
    those.map(async item => {
      const { level, isEmergency } = await findDanger(item.text);
      const isFound = item.level === 'crisis' ? level === 'crisis' || isEmergency : alarms.has(level);
      return { item, level, isFound };
    }),
  );
  const isOrdinary = those[0]?.level === 'ordinary';
  const found = judged.filter(({ isFound, level }) => (isOrdinary ? alarms.has(level) : isFound));
  const wrong = judged.filter(one => found.includes(one) === isOrdinary);
  return {
    share: (100 * found.length) / those.length,
    wrong: wrong.map(({ item, level }) => `${item.level} read as ${level}: ${item.text}`),
  };
}

test('the sets hold eleven languages, a thousand ordinary messages and 390 dangers', () => {
  expect(languages).toHaveLength(11);
  expect(items.filter(({ level }) => level === 'ordinary').length).toBeGreaterThanOrEqual(1_000);
  expect(items.filter(({ level }) => level !== 'ordinary').length).toBeGreaterThanOrEqual(390);
});

/** Texts of one language and half are 45 and 18: more than one wrong is more than chance. */
const mostWrong = 1;

describe.each(['tuning', 'second'] as const)('the %s half', half => {
  const ordinary = items.filter(item => item.half === half && item.level === 'ordinary');
  const dangers = items.filter(item => item.half === half && item.level !== 'ordinary');

  test('at most 1 % of the ordinary messages alarm', async () =>
    expect((await judge(ordinary)).share).toBeLessThanOrEqual(1));
  test('at least 98 % of the dangers are found', async () =>
    expect((await judge(dangers)).share).toBeGreaterThanOrEqual(98));

  test.each(languages)('in %s', async lang => {
    const ofLanguage = (those: SetItem[]): SetItem[] => those.filter(item => item.lang === lang);
    const wrong = [...(await judge(ofLanguage(ordinary))).wrong];
    expect(wrong.slice(mostWrong)).toEqual([]);
    expect((await judge(ofLanguage(dangers))).wrong.slice(mostWrong)).toEqual([]);
  });

  test.each(['negation', 'complaint', 'life', 'question'])('ordinary messages about %s', async kind =>
    expect((await judge(ordinary.filter(item => item.kind === kind))).share).toBeLessThanOrEqual(2),
  );
});
