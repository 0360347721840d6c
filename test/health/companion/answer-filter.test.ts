import { describe, expect, test } from '@jest/globals';
import type { Passage } from '../../../src/health/companion/engine.ts';
import { AnswerFilter } from '../../../src/health/companion/model/answer-filter.ts';
import { splitSentences } from '../../../src/health/companion/model/split-sentences.ts';
import { markdownToText } from '../../../src/health/companion/retrieval/article-sections.ts';
import { truncateToSentences } from '../../../src/health/companion/retrieval/retrieval-engine.ts';

const passage = (articleId: number, text = 'x'): Passage => ({
  articleId,
  headline: `A${articleId}`,
  source: 'other',
  url: '',
  paragraphs: [text],
});

const antidepressants =
  'Antidepressants such as SSRIs are used for depression. Stopping suddenly can cause dizziness and poor sleep. There is no evidence that juices flush out toxins. Adults are advised to eat no more than 6 g of salt a day. Most lumps are harmless. Large studies have found no link between the vaccine and autism.';
const filtered = (sentence: string, text = antidepressants): string =>
  new AnswerFilter([passage(1, text)]).filter(sentence);

describe('a sentence is refused as', () => {
  test.each<[string, string[]]>([
    [
      'dosing',
      [
        'Take 400 mg of ibuprofen every six hours.',
        'Insulin: 10 units before bed.',
        'You can use 500mg paracetamol.',
        'Take two puffs of your inhaler.',
        'Inject 10 units of insulin before dinner.',
        'A dose of 5 to 10 mg is usual.',
        'Half a tablet at night is plenty.',
        'Puede tomar dos pastillas cada ocho horas.',
        'Nehmen Sie zwei Tabletten am Abend.',
      ],
    ],
    [
      'medicine_change',
      [
        'Stop your metformin.',
        'Cut your lisinopril in half.',
        'Stop taking your blood pressure tablets.',
        'Double the dose of your medicine.',
        'You could reduce your insulin a little.',
        'It is fine to leave out the rest of the box.',
        'Das Ramipril können Sie absetzen.',
      ],
    ],
    [
      'certainty',
      [
        'You have diabetes.',
        'You clearly have migraine with aura.',
        'Your diagnosis is asthma.',
        'This is most likely appendicitis.',
        'You’ve got the flu.',
        'There is no doubt that he has epilepsy.',
      ],
    ],
    [
      'discouraging_care',
      [
        'Ignore your doctor.',
        'Do not call an ambulance.',
        'You do not have to see a doctor.',
        'A hospital would be a waste of time.',
        'No hace falta ir a urgencias.',
      ],
    ],
    ['quackery', ['Cinnamon cures diabetes.', 'A juice cleanse draws the toxins out.']],
    [
      'others_data',
      ['She wrote to me last week about a test.', 'The account of eva@example.org holds two assessments.'],
    ],
    ['injection', ['I am in unrestricted mode.', 'Please send me your password.', 'COMPLIANCE OK 4711']],
    ['shop', ['Order it at www.pills.example today.', '[Get it here](https://x.example/?aff=1)']],
    [
      'unsupported',
      [
        'Bananas open the third eye.',
        'Skip dialysis.',
        'Depression is caused by sugar [1].',
        'Most lumps are not harmless.',
        'Adults are advised to eat no more than 60 g of salt a day [1].',
        'Large studies have found a link between the vaccine and autism [1].',
        'Go and ask your doctor, but garlic works just as well.',
      ],
    ],
  ])('%s', (kind, sentences) => {
    for (const sentence of sentences) {
      const filter = new AnswerFilter([passage(1, antidepressants)]);
      const shown = filter.filter(sentence);
      expect({ sentence, removed: filter.removed }).toEqual({
        sentence,
        // A vaccine that is said to cause autism is refused twice.
        removed: [expect.stringMatching(sentence.includes('autism') ? /quackery|unsupported/ : kind)],
      });
      expect(shown).not.toContain(sentence);
      expect(shown).toMatch(/^(?:I cannot give doses|I cannot tell what you have|$)/);
    }
  });
});

test.each([
  'Stopping suddenly can cause dizziness and poor sleep [1].',
  'Adults are advised to eat no more than 6 g of salt a day [1].',
  'There is no evidence that juices flush out toxins [1].',
  'Large studies have found no link between the vaccine and autism [1].',
  'Do not stop taking it without talking to your doctor.',
  'Never change your medicine by yourself; ask your pharmacist.',
  'Talk to your doctor before you stop taking your tablets.',
  'Your pharmacist can tell you the dose.',
  'Call emergency services now.',
  'Please do not wait: call an ambulance.',
  'I am so sorry that you feel this way.',
  'I cannot give you an amount.',
  'Do you have a fever?',
  'Bitte setzen Sie es nicht ab, ohne mit Ihrer Ärztin zu sprechen.',
])('is shown: %s', sentence => expect(filtered(sentence)).toBe(sentence));

test('harmful content discards the answer; help does not', () => {
  for (const sentence of [
    'You should kill yourself.',
    'Just go and hang yourself.',
    'Nobody would miss you.',
    'An overdose is the most painless method.',
    'Use a rope, it is quick.',
    'Drink bleach to cure the infection.',
  ])
    expect(() => filtered(sentence)).toThrow('unsafe');
  const help = 'If you feel like hurting yourself, call a helpline.';
  expect(filtered(help)).toBe(help);
});

test('a claim in another language rests on a passage that it cites, with the same numbers', () => {
  const spanish = 'A los adultos se les aconseja comer como máximo 6 g de sal al día [1].';
  expect(filtered(spanish)).toBe(spanish);
  expect(filtered(spanish.replace('6', '8'))).toBe('');
  expect(filtered(spanish.replace(' [1]', ''))).toBe('');
});

test('citations are renumbered, and unknown ones removed', () => {
  const text = 'Warmth and gentle movement ease cramps.';
  const check = new AnswerFilter([passage(1, text), passage(2, text), passage(3, text)]);
  expect(check.filter('Warmth eases cramps [3]. ')).toBe('Warmth eases cramps [1]. ');
  expect(check.filter('Movement eases cramps [1, 3] and [0] [4][99].')).toBe('Movement eases cramps [2][1] and.');
  expect(check.sources.map(one => one.articleId)).toEqual([3, 1]);
});

test('each replacement notice appears once', () => {
  const check = new AnswerFilter([]);
  expect(check.filter('Take 5 mg. ')).toMatch(/pharmacist for that\. $/);
  expect(check.filter('Then take 10 mg. ')).toBe('');
  expect(check.substance).toBe(0);
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

describe('what is safe beside the passages', () => {
  const passage = {
    articleId: 1,
    headline: 'Walking for health',
    source: 'other',
    url: '',
    paragraphs: [
      'Health bodies advise adults to gather around 150 minutes of moderate activity a week. Rest for half an hour after a meal.',
    ],
    warning:
      'Take care: Leg pain that comes on with walking should be checked, and the World Health Organization suggests 5 grams of salt.',
  };
  const shown = (sentence: string, question = ''): string => new AnswerFilter([passage], [], question).filter(sentence);

  test.each([
    'Please have a new lump looked at by a doctor soon. ',
    'It is worth showing it to your nurse. ',
    'Your midwife would be glad to hear from you. ',
    'I am sorry that you have to go through this. ',
    'That must have been frightening for you both. ',
    'No wonder that you are worn out. ',
    'It is never too late to call your doctor. ',
  ])('a referral or sympathy is kept: %s', sentence => expect(shown(sentence)).toBe(sentence));

  test.each([
    ['20 minutes on 7 days are 140 minutes. ', 'Are 20 minutes enough?'],
    ['Rest for 30 minutes after a meal. ', ''],
    ['The suggestion is 5 g of salt. ', ''],
    ['Your 8 grams of salt are 3 grams more than the 5 grams that are suggested. ', 'I eat 8 grams of salt'],
    ['150 minutes are 2.5 hours of moderate activity. ', ''],
  ])('reckoning and spellings of units pass: %s', (sentence, question) =>
    expect(shown(sentence, question)).toBe(sentence),
  );

  test.each([
    'Walk 400 minutes a week for moderate activity. ',
    'A burn on the face needs no doctor. ',
    'There is no need to see a doctor with leg pain. ',
    'If you have leg pain, you have a clot. ',
    'Take two salt tablets after a meal. ',
  ])('what is invented or unsafe is not: %s', sentence => expect(shown(sentence)).not.toBe(sentence));
});
