import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Finding, findDanger } from 'triage';
import { isOrdinary, isRight, readSets, type SetItem } from '../../packages/triage/sets/read-sets.ts';

type Judged = { item: SetItem; found: Finding };

const judge = (those: readonly SetItem[]): Promise<Judged[]> =>
  Promise.all(those.map(async item => ({ item, found: await findDanger(item.text) })));
const wrongOf = async (those: readonly SetItem[]): Promise<Judged[]> =>
  (await judge(those)).filter(({ item, found }) => !isRight(item, found));
const isDanger = (item: SetItem): boolean => !isOrdinary(item);

/** Texts of each language, and shares in percent: the least of the unread dangers that are found, and the most of the unread ordinary messages that alarm. */
const sets = [
  { name: 'plain', ordinary: 40, dangers: 20, leastFound: 97, mostAlarms: 2 },
  { name: 'lay', ordinary: 40, dangers: 30, leastFound: 97.5, mostAlarms: 1 },
  { name: 'typed', ordinary: 90, dangers: 36, leastFound: 97.5, mostAlarms: 1.25 },
];

describe.each(sets)('the set $name', ({ name, ordinary, dangers, leastFound, mostAlarms }) => {
  const items = readSets(join(import.meta.dirname, '../../packages/triage/sets', name));
  const languages = [...new Set(items.map(({ lang }) => lang))];
  const read = items.filter(({ half }) => half === 'tuning');
  const unread = items.filter(({ half }) => half === 'second');

  test('has texts of eleven languages', () => {
    expect(languages).toHaveLength(11);
    for (const lang of languages) {
      const ofLanguage = items.filter(item => item.lang === lang);
      expect(ofLanguage.filter(isOrdinary)).toHaveLength(ordinary);
      expect(ofLanguage.filter(isDanger)).toHaveLength(dangers);
    }
  });

  test('at most 1 % of the ordinary messages that were read alarm', async () => {
    const texts = read.filter(isOrdinary);
    expect((await wrongOf(texts)).length).toBeLessThanOrEqual(texts.length / 100);
  });

  test.each(languages)('at most one danger that was read is missed in %s', async lang =>
    expect((await wrongOf(read.filter(item => item.lang === lang && isDanger(item)))).slice(1)).toEqual([]),
  );

  test('95 % of what needs a doctor within a day says that, and not «call now»', async () => {
    const urgent = await judge(read.filter(({ level }) => level === 'urgent'));
    const exact = urgent.filter(({ found }) => found.level === 'urgent');
    expect(exact.length).toBeGreaterThanOrEqual(0.95 * urgent.length);
  });

  // Counts alone, so that a failed test does not show the texts.
  test(`at most ${mostAlarms} % of the ordinary messages that were not read alarm`, async () => {
    const texts = unread.filter(isOrdinary);
    expect((await wrongOf(texts)).length).toBeLessThanOrEqual((mostAlarms / 100) * texts.length);
  });

  test(`at least ${leastFound} % of the dangers that were not read are found`, async () => {
    const texts = unread.filter(isDanger);
    expect((await wrongOf(texts)).length).toBeLessThanOrEqual((1 - leastFound / 100) * texts.length);
  });
});

describe('the set senses, which was read while the tables were changed', () => {
  const items = readSets(join(import.meta.dirname, '../../packages/triage/sets/senses'));

  test('at most 2 % of the ordinary messages alarm', async () => {
    const texts = items.filter(isOrdinary);
    expect(texts).toHaveLength(506);
    expect((await wrongOf(texts)).length).toBeLessThanOrEqual(0.02 * texts.length);
  });

  test('at least 98 % of the dangers are found', async () => {
    const texts = items.filter(isDanger);
    expect(texts).toHaveLength(330);
    expect((await wrongOf(texts)).length).toBeLessThanOrEqual(0.02 * texts.length);
  });
});

describe('the set varied, which was read while the tables were changed', () => {
  const items = readSets(join(import.meta.dirname, '../../packages/triage/sets/varied'));

  test('at most 2 % of the ordinary messages alarm', async () => {
    const texts = items.filter(isOrdinary);
    expect(texts.length).toBeGreaterThanOrEqual(950);
    expect((await wrongOf(texts)).length).toBeLessThanOrEqual(0.02 * texts.length);
  });

  test('at least 98 % of the dangers are found', async () => {
    const texts = items.filter(isDanger);
    expect(texts.length).toBeGreaterThanOrEqual(900);
    expect((await wrongOf(texts)).length).toBeLessThanOrEqual(0.02 * texts.length);
  });
});
