import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { foldText } from 'triage/signs/fold-text';
import { meaningsIn } from 'triage/signs/glossary';

const folder = join(import.meta.dirname, '../../../packages/triage/src/signs/glossary');
const files = readdirSync(folder).sort();
const keysOf = (file: string): string[] => Object.keys(JSON.parse(readFileSync(join(folder, file), 'utf8')) as object);
const english = new Set(keysOf('en.json'));

test.each([
  ['es', 'me duele la barriga desde ayer', ['pain', 'belly', 'yesterday']],
  ['fr', 'mes enfants ont faim', ['children', 'hungry']],
  ['de', 'Bauchschmerzen nach dem Frühstück', ['breakfast']],
  ['pt', 'estou com dor de cabeça', ['headache']],
  ['it', 'non riesco a dormire', ['sleep']],
  ['ru', 'у дочки болит горло', ['throat']],
  ['tr', 'öğretmenimiz hastaneye gitti', ['teacher', 'hospital']],
  ['ar', 'والمستشفى بعيد', ['hospital']],
  ['hi', 'पेट में दर्द है', ['stomach', 'pain']],
  ['hi', 'pet mein dard hai', ['stomach', 'pain']],
  ['zh', '從昨天開始肚子痛', ['yesterday', 'stomach', 'pain']],
  ['en', 'headaches', ['headache']],
])('words of %s mean English words: %s', (language, text, meanings) =>
  expect(meaningsIn(foldText(text), language)).toEqual(expect.arrayContaining(meanings)),
);

test('a phrase is read before its words', () => {
  const said = meaningsIn(foldText('es tut mir leid'), 'de');
  expect(said).toEqual(expect.arrayContaining(['sorry']));
  expect(said).not.toContain('does');
});

test('a language without a glossary has no meanings', () =>
  expect(meaningsIn(foldText('mam bóle brzucha'), 'pl')).toEqual([]));

test.each(files)('%s has no other words than the English glossary, and each with a translation', file => {
  const lists = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, string>;
  expect(Object.keys(lists).filter(key => !english.has(key))).toEqual([]);
  expect(Object.entries(lists).filter(([, list]) => list.split(';').some(one => foldText(one).length === 0))).toEqual(
    [],
  );
});
