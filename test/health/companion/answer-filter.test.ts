import { describe, expect, test } from '@jest/globals';
import type { Passage } from '../../../src/health/companion/engine.ts';
import { AnswerFilter } from '../../../src/health/companion/model/answer-filter.ts';
import { splitSentences } from '../../../src/health/companion/model/split-sentences.ts';
import { markdownToText } from '../../../src/health/companion/retrieval/find-passages.ts';
import { truncateToSentences } from '../../../src/health/companion/retrieval/retrieval-engine.ts';

const passage = (articleId: number): Passage => ({
  articleId,
  headline: `A${articleId}`,
  source: 'other',
  url: '',
  paragraphs: ['x'],
});
const checked = (sentence: string): string => new AnswerFilter([passage(1), passage(2)]).filter(sentence);

describe('a dose or a change of medicine', () => {
  test.each([
    'Take 400 mg of ibuprofen every six hours.',
    'You can use 500mg paracetamol.',
    'Try 2 tablets at night.',
    'Take two puffs of your inhaler.',
    'Up to 1,000 mcg a day is fine.',
    'Inject 10 units of insulin before dinner.',
    'Stop taking your blood pressure tablets.',
    'Double the dose of your medicine.',
    'You could reduce your insulin a little.',
    'A dose of 5 to 10 mg is usual.',
  ])('%s', sentence => expect(checked(sentence)).toMatch(/^I cannot give doses/));

  test.each([
    'Many services treat a reading below 70 mg/dL as low.',
    'Aim for less than 5 g of salt a day.',
    'Drink 2 litres of water.',
    'Do not stop taking your tablets without asking.',
    'Never change your medicine by yourself.',
    'Talk to your doctor before you stop taking your tablets.',
    'Walk for 30 minutes on five days.',
    'Take a short walk after the meal.',
    'Your pharmacist can tell you the dose.',
  ])('is not: %s', sentence => expect(checked(sentence)).toBe(sentence));
});

describe('a diagnosis', () => {
  test.each([
    'You have diabetes.',
    'You clearly have migraine with aura.',
    'It sounds as if you are depressed, and you have clinical depression.',
    'You are suffering from pneumonia.',
    'You probably have a kidney stone.',
    'Your diagnosis is asthma.',
    'This is most likely appendicitis.',
    'You’ve got the flu.',
  ])('%s', sentence => expect(checked(sentence)).toMatch(/^I cannot tell what you have/));

  test.each([
    'If you have diabetes, check your feet daily.',
    'Do you have a fever?',
    'People who have asthma carry an inhaler.',
    'You may have questions for your doctor.',
    'You have a right to a second opinion.',
    'You have to rest.',
    'You have described a headache.',
    'Tell your doctor that you have pain.',
    'You might have a cold, but only a doctor can tell.',
    'When you have migraine, a dark room helps.',
    'This is most likely helpful in the evening.',
  ])('is not: %s', sentence => expect(checked(sentence)).toBe(sentence));
});

test('harmful content discards the answer; help does not', () => {
  for (const sentence of [
    'You should kill yourself.',
    'Just go and hang yourself.',
    'Nobody would miss you.',
    'An overdose is the most painless method.',
  ])
    expect(() => checked(sentence)).toThrow('unsafe');
  for (const sentence of [
    'If you feel like hurting yourself, call a helpline.',
    'Never hurt yourself to cope; call somebody.',
  ])
    expect(checked(sentence)).toBe(sentence);
});

test('citations are renumbered, and unknown ones removed', () => {
  const check = new AnswerFilter([passage(1), passage(2), passage(3)]);
  expect(check.filter('One [3]. ')).toBe('One [1]. ');
  expect(check.filter('Two [1, 3] and [0] [4][99].')).toBe('Two [2][1] and.');
  expect(check.sources.map(one => one.articleId)).toEqual([3, 1]);
});

test('each replacement notice appears once', () => {
  const check = new AnswerFilter([]);
  expect(check.filter('Take 5 mg. ')).toMatch(/pharmacist for that\. $/);
  expect(check.filter('Then take 10 mg. ')).toBe('');
  expect(check.hasContent).toBe(false);
});

test.each([
  ['One. Two! Three?\n\n- four\n- five', ['One. ', 'Two! ', 'Three?\n\n', '- four\n', '- five']],
  ['Cited. [1] Next [2]. End', ['Cited. [1] ', 'Next [2]. ', 'End']],
  ['x'.repeat(2_500), ['x'.repeat(1_000), 'x'.repeat(1_000), 'x'.repeat(500)]],
  ['', []],
])('sentences of %j', async (text, sentences) => {
  for (const size of [1, 3, 5_000]) {
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
    };
    const found: string[] = [];
    for await (const sentence of splitSentences(pieces())) found.push(sentence);
    expect(found.join('')).toBe(text);
    if (size === 5_000) expect(found.length).toBe(sentences.length);
  }
});

test('Markdown becomes its text', () => {
  expect(markdownToText('## Title\nEat **less** _salt_ and [read on](https://x.example/a_b).\n![p](x.png)')).toBe(
    'Eat less salt and read on.',
  );
  expect(markdownToText('- one\n- two\n1. three')).toBe('one; two; three');
  expect(markdownToText('a <b>c</b> snake_case 2 * 3')).toBe('a c snake_case 2 * 3');
});

test('a long paragraph is truncated at a sentence or a word', () => {
  expect(truncateToSentences('One two three. Four five six seven eight nine.', 30)).toBe('One two three.');
  expect(truncateToSentences('One two three four five', 15)).toBe('One two three …');
  expect(truncateToSentences('short', 15)).toBe('short');
});
