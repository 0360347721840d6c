import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Finding, findDanger } from 'triage';
import { readSets, type SetItem } from '../../packages/triage/sets/read-sets.ts';

const items = readSets(join(import.meta.dirname, '../../packages/triage/sets/plain'));
const languages = [...new Set(items.map(({ lang }) => lang))];
type Judged = { item: SetItem; found: Finding };

const judge = (those: readonly SetItem[]): Promise<Judged[]> =>
  Promise.all(those.map(async item => ({ item, found: await findDanger(item.text) })));
const ofHalf = (half: SetItem['half']): SetItem[] => items.filter(item => item.half === half);
const isOrdinary = ({ level }: SetItem): boolean => level === 'ordinary';
const isDanger = (item: SetItem): boolean => !isOrdinary(item);
const isAlarm = ({ level }: Finding): boolean => level === 'crisis' || level === 'emergency' || level === 'urgent';
const isFound = ({ level }: SetItem, found: Finding): boolean =>
  level === 'crisis' ? found.level === 'crisis' || found.isEmergency : isAlarm(found);

test('the set has 40 ordinary messages and 20 dangers in each of eleven languages', () => {
  expect(languages).toHaveLength(11);
  for (const lang of languages) {
    const ofLanguage = items.filter(item => item.lang === lang);
    expect(ofLanguage.filter(({ level }) => level === 'ordinary')).toHaveLength(40);
    expect(ofLanguage.filter(({ level }) => level !== 'ordinary')).toHaveLength(20);
  }
});

describe('the half that was read', () => {
  const read = ofHalf('tuning');

  test('at most 1 % of the ordinary messages alarm', async () => {
    const ordinary = await judge(read.filter(isOrdinary));
    expect(ordinary.filter(({ found }) => isAlarm(found)).length).toBeLessThanOrEqual(ordinary.length / 100);
  });

  test.each(languages)('at most one danger is missed in %s', async lang => {
    const dangers = await judge(read.filter(item => item.lang === lang && isDanger(item)));
    expect(dangers.filter(({ item, found }) => !isFound(item, found)).slice(1)).toEqual([]);
  });

  test('95 % of what needs a doctor within a day says that, and not «call now»', async () => {
    const urgent = await judge(read.filter(({ level }) => level === 'urgent'));
    const exact = urgent.filter(({ found }) => found.level === 'urgent');
    expect(exact.length).toBeGreaterThanOrEqual(0.95 * urgent.length);
  });
});

/** Counts alone, so that a failed test does not show the texts. */
describe('the half that was not read', () => {
  const unread = ofHalf('second');

  test('at most 2 % of the ordinary messages alarm', async () => {
    const ordinary = await judge(unread.filter(isOrdinary));
    expect(ordinary.filter(({ found }) => isAlarm(found)).length).toBeLessThanOrEqual(ordinary.length / 50);
  });

  test('at least 95 % of the dangers are found', async () => {
    const dangers = await judge(unread.filter(isDanger));
    const found = dangers.filter(one => isFound(one.item, one.found));
    expect(found.length).toBeGreaterThanOrEqual(0.95 * dangers.length);
  });
});
