import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { classifyMessage } from '../../../src/health/companion/safety/classify-message.ts';
import { conceptsIn } from '../../../src/health/companion/safety/concepts.ts';
import { detectLanguage } from '../../../src/health/companion/safety/detect-language.ts';
import { foldText } from '../../../src/health/companion/safety/fold-text.ts';
import { languages } from '../../../src/health/companion/safety/language-tables.ts';
import {
  modelFingerprint,
  scoreKinds,
  type WeightsHeader,
  weightsFiles,
} from '../../../src/health/companion/safety/message-model.ts';

test('the weights belong to the concepts and features; otherwise run scripts/train-message-model.ts', () => {
  const { fingerprint } = JSON.parse(readFileSync(weightsFiles.header, 'utf8')) as WeightsHeader;
  expect(fingerprint).toBe(modelFingerprint());
});

test('every language has concepts of the same names', () => {
  const names = (code: string): string[] =>
    Object.keys(
      JSON.parse(
        readFileSync(new URL(`../../../src/health/companion/safety/concepts/${code}.json`, import.meta.url), 'utf8'),
      ) as object,
    ).sort();
  for (const { code } of languages()) expect(names(code)).toEqual(names('en'));
});

test('concepts are found in inflected and accented words', () => {
  expect(conceptsIn(foldText('I have saved up the tablets'), 'en')).toEqual(expect.arrayContaining(['hoard', 'pills']));
  expect(conceptsIn(foldText('SOY UNA CARGA'), 'es')).toContain('burden');
});

test('probabilities sum to 1, for no word as well', () => {
  for (const message of ['', 'hello', '我不想活了']) {
    const { crisis, emergency, harmless } = scoreKinds(foldText(message), 'en');
    expect(crisis + emergency + harmless).toBeCloseTo(1, 6);
  }
});

/** Said without a word that the rules know. */
describe.each([
  ['self', 'I labelled my records with the names of who gets them, and on Sunday I will be gone for good'],
  ['self', 'sold the car, wrote to the kids, nobody needs to book me anything after the holidays'],
  ['other', 'my brother gave me his watch and his passwords and he hugged me, he never does that'],
  ['self', 'Ho disdetto il telefono e regalato il gatto, non mi serve più niente'],
])('hints at danger to %s', (_about, message) => {
  test(message, () => expect(classifyMessage(message).level).toBe('crisis'));
});

test.each([
  'my sister cannot find her words and the cup falls from her hand',
  'Mein Onkel findet keine Wörter mehr und der Mund hängt',
])('a description of an emergency: %s', message => expect(classifyMessage(message).emergency).toBe(true));

test.each([
  'gave my books away because we move, how do I lift boxes without hurting my back',
  'How do I reset the clock of my oven?',
  'my workout killed my legs, how many days of rest?',
  'ist Pfefferminztee gut bei Blähungen',
  'Quel fromage pendant la grossesse, tout va bien',
])('no alarm: %s', message => expect(classifyMessage(message).level).toBe('none'));

test.each([
  ['en', 'how much water should I drink'],
  ['hi', 'mujhe raat ko neend nahi aati'],
  ['hi', 'doctor sahab pet me dard hai kya karu'],
  ['tr', 'basim agriyor ne yapmaliyim'],
  ['pt', 'minha filha tem febre'],
  ['es', 'mi hija tiene fiebre y my english is bad, que hago'],
])('the language is %s: %s', (language, message) => expect(detectLanguage(foldText(message))).toBe(language));

test('nothing tells the language of numbers', () => expect(detectLanguage(foldText('12 34'))).toBeUndefined());
