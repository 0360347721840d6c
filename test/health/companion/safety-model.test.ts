import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { classifyMessage } from 'triage/signs/classify-message';
import { conceptsIn } from 'triage/signs/concepts';
import { detectLanguage } from 'triage/signs/detect-language';
import { foldText } from 'triage/signs/fold-text';
import { languages } from 'triage/signs/language-tables';
import { modelFingerprint, scoreKinds, type WeightsHeader, weightsFiles } from 'triage/signs/message-model';

test('the weights belong to the concepts and features; otherwise run scripts/train-message-model.ts', () => {
  const { fingerprint } = JSON.parse(readFileSync(weightsFiles.header, 'utf8')) as WeightsHeader;
  expect(fingerprint).toBe(modelFingerprint());
});

test('every language has concepts of the same names', () => {
  const names = (code: string): string[] =>
    Object.keys(
      JSON.parse(
        readFileSync(new URL(`../../../packages/triage/src/signs/concepts/${code}.json`, import.meta.url), 'utf8'),
      ) as object,
    ).sort();
  for (const { code } of languages()) expect(names(code)).toEqual(names('en'));
});

test('concepts are found in inflected and accented words', () => {
  expect(conceptsIn(foldText('I have saved up the tablets'), 'en')).toEqual(expect.arrayContaining(['hoard', 'pills']));
  expect(conceptsIn(foldText('SOY UNA CARGA'), 'es')).toContain('burden');
});

test.each(['???', '🐎🐎🐎', 'the of and'])('what says nothing raises nothing: %s', message =>
  expect(classifyMessage(message).level).toBe('none'),
);

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
  'my hip is stiff after the long drive home, which stretch helps',
  'the blister from my new boots has dried up, may I hike on Saturday',
  'our puppy chewed my slipper, I laughed myself silly',
  'Twelve years ago I did not want to live. I coach a swimming team now and I am glad to be here. Which diet suits swimmers?',
  'Mein Ellenbogen zwickt nach dem Tennis, hilft Kühlen?',
  'La ortodoncista me cambió el alambre, qué como hoy',
])('no alarm: %s', message => expect(classifyMessage(message).level).toBe('none'));

/** Certainly harmless to the model, whatever one sentence of it says. */
const chatter =
  'Thanks for the soup recipe yesterday, it was lovely and the kids liked it. We are planning a trip to Peru in October and I bought ' +
  'new shoes for the walks. Which exercises are good for stiff knees and how often should I do them? My reading glasses are new as ' +
  'well and the optician was friendly. Does my insurance pay for physiotherapy, and how do I change my appointment on Thursday?';

describe('what is stated in the first person or is an emergency now stays, however harmless the rest of a message is', () => {
  test.each([
    ['a wish to die', 'I want to die.'],
    ['a plan', 'I am going to kill myself tonight.'],
    ['self-harm', 'I cut myself again last night.'],
    ['being hurt', 'My husband hits me when he is drunk.'],
    ['a wish to die, in Spanish', 'Quiero morirme.'],
  ])('%s', (_what, statement) => {
    expect(classifyMessage(`${chatter} ${statement}`).level).toBe('crisis');
    expect(classifyMessage(`${statement} ${chatter}`).level).toBe('crisis');
  });

  test.each([
    ['an overdose', 'I took an overdose of paracetamol an hour ago.'],
    ['chest pain', 'I have crushing chest pain and my left arm is numb.'],
    ['a child who does not wake', 'My daughter is unconscious and not breathing.'],
  ])('%s', (_what, statement) => {
    expect(classifyMessage(`${chatter} ${statement}`).emergency).toBe(true);
    expect(classifyMessage(`${statement} ${chatter}`).emergency).toBe(true);
  });

  test('what is told of a film is taken back', () =>
    expect(classifyMessage(`${chatter} In the film the hero says he wants to kill himself.`).level).toBe('none'));
});

test.each([
  ['en', 'how much water should I drink'],
  ['hi', 'mujhe raat ko neend nahi aati'],
  ['hi', 'doctor sahab pet me dard hai kya karu'],
  ['tr', 'basim agriyor ne yapmaliyim'],
  ['pt', 'minha filha tem febre'],
  ['es', 'mi hija tiene fiebre y my english is bad, que hago'],
])('the language is %s: %s', (language, message) => expect(detectLanguage(foldText(message))).toBe(language));

test('nothing tells the language of numbers', () => expect(detectLanguage(foldText('12 34'))).toBeUndefined());
