import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { conceptsOf } from '../../../src/health/vocabulary/concepts.ts';
import { englishWords } from '../../../src/health/vocabulary/english-words.ts';
import { likeStems } from '../../../src/health/vocabulary/misspellings.ts';
import { namesOf, wordsOfSentences } from '../../../src/health/vocabulary/vocabulary.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../src/health/vocabulary/${name}`, import.meta.url), 'utf8'));
const data = read('health-subjects.json');
const subjectsIn = (text: string): string[] => conceptsOf(text).flatMap(({ subjects }) => subjects);

test('the words of a description stand in any order, near each other, and in any form of a class', () => {
  for (const text of ['an itch round my eyes', 'my eyes are so terribly itchy', 'eyes that itch'])
    expect({ text, subjects: subjectsIn(text) }).toEqual({ text, subjects: expect.arrayContaining(['hay-fever']) });
  expect(subjectsIn('the itch began on a Monday in March in the garden and then I closed my eyes')).not.toContain(
    'hay-fever',
  );
});

test('the words of a description stand in one sentence', () => {
  const inSentences = (text: string): string[] =>
    conceptsOf(wordsOfSentences(text)).flatMap(({ subjects }) => subjects);
  expect(inSentences('my eyes are so terribly itchy. Why?')).toContain('hay-fever');
  for (const text of ['my head itches. I closed my eyes', 'my head itches\nmy eyes are fine', 'an itch; tired eyes'])
    expect({ text, subjects: inSentences(text) }).toEqual({
      text,
      subjects: expect.not.arrayContaining(['hay-fever']),
    });
  expect(wordsOfSentences('38.5 at 3 a.m.! Now what?')).toEqual(['38', '5', 'at', '3', 'a', 'm', '.', 'now', 'what']);
});

test('names are adjacent words, and those of stop words need them', () => {
  expect(subjectsIn('the runs')).toEqual(['diarrhoea']);
  expect(subjectsIn('two runs before lunch')).not.toContain('diarrhoea');
  expect(subjectsIn('type 2 diabetes')).toEqual(['type-2-diabetes']);
  expect(subjectsIn('type 1 diabetes')).toEqual(['diabetes']);
  expect(subjectsIn('mum is here')).not.toContain('pregnancy');
  expect(subjectsIn('160/95 this morning')).toContain('high-blood-pressure');
});

test.each([
  ['excema', 'eczema'],
  ['diarea', 'diarrhoea'],
  ['stroak', 'stroke'],
  ['astma', 'asthma'],
  ['migrane', 'migrain'],
  ['hemaroids', 'haemorrhoid'],
  ['arthuritis', 'arthriti'],
])('%s is like %s', (word, stem) => {
  expect(likeStems(word, [])[0]?.stem).toBe(stem);
});

test.each(['zzzzqqq', 'qwerty', 'xyzzyx', 'sdkfjh', 'lorem', 'zorblax', 'flibbertigibbet'])(
  '%s is like nothing',
  word => {
    expect(likeStems(word, [])).toEqual([]);
  },
);

test('English words are known in their forms, and others are not', async () => {
  const english = await englishWords();
  for (const word of ['sorry', 'wiped', 'husbands', 'colour', 'stopped', 'babies', 'organised', 'centre', 'paralysed'])
    expect({ word, known: english.has(word) }).toEqual({ word, known: true });
  for (const word of ['snorring', 'excema', 'lonelyness', 'presure', 'diabeetus'])
    expect({ word, known: english.has(word) }).toEqual({ word, known: false });
});

test('the data is consistent: classes exist, ids are unique, each name once in its list, categories name subjects', () => {
  const ids = data.subjects.map((one: { id: string }) => one.id);
  expect(new Set(ids).size).toBe(ids.length);
  const used = data.subjects.flatMap(({ signs = [] }: { signs?: string[] }) =>
    [...signs.join().matchAll(/<(\w+)>/g)].map(([, name]) => name),
  );
  expect(used.filter((name: string) => !Object.hasOwn(data.classes, name))).toEqual([]);
  for (const { id, names, signs = [] } of data.subjects) {
    const all = [...names, ...signs].flatMap(line => line.toLowerCase().split(', '));
    const repeated = all.filter((one, at) => all.indexOf(one) !== at);
    expect({ id, repeated }).toEqual({ id, repeated: [] });
  }
  const listed = Object.values(read('category-subjects.json').categories) as { subjects: string[] }[];
  for (const subject of listed.flatMap(({ subjects }) => subjects))
    expect({ subject, names: namesOf(subject).length > 0 }).toEqual({ subject, names: true });
});
