import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { likenessOf } from '../../../src/health/companion/retrieval/likeness.ts';
import {
  guessSubject,
  isTaught,
  type SubjectHeader,
  subjectClasses,
  subjectFiles,
  subjectFingerprint,
} from '../../../src/health/companion/retrieval/subject-model.ts';
import { dimensions, meaningOf, vectorFiles } from '../../../src/health/companion/retrieval/word-vectors.ts';
import { conceptsOf } from '../../../src/health/vocabulary/concepts.ts';
import { namesOf, wordsOfSentences } from '../../../src/health/vocabulary/vocabulary.ts';

const guess = (text: string): ReturnType<typeof guessSubject> => {
  const words = wordsOfSentences(text);
  return guessSubject(words, conceptsOf(words));
};

const mostLikely = (text: string): string => {
  const { classes, none } = guess(text);
  const most = Math.max(...classes);
  return none > most ? 'none' : (subjectClasses()[classes.indexOf(most)]?.id ?? '');
};

test('the weights belong to the features and word vectors; otherwise run scripts/train-subject-model.ts', () => {
  const { fingerprint } = JSON.parse(readFileSync(subjectFiles.header, 'utf8')) as SubjectHeader;
  expect(fingerprint).toBe(subjectFingerprint());
});

test('every class finds articles by names of the vocabulary', () => {
  for (const { finds } of subjectClasses()) for (const subject of finds) expect(namesOf(subject)).not.toEqual([]);
});

test.each(['', 'hello', 'xyzzy', '我不想活了'])('the probabilities sum to 1: «%s»', text => {
  const { classes, none } = guess(text);
  expect(classes.reduce((sum, one) => sum + one, none)).toBeCloseTo(1, 6);
});

/** Said in words that the vocabulary does not have for them. */
test.each([
  ['my aunt cannot keep her balance on the stairs at 82, which handrails should we screw on', 'falls'],
  ['the sheets are drenched every night and I am 50, is it hormones', 'menopause'],
  ['flying to Ghana with the children in March, which jabs and tablets', 'travel'],
  ['my thumb touched the glowing hob, how long under the tap', 'burn'],
  ['which lens replacement is best for a clouded eye', 'none'],
  ['the dishwasher leaves a white film on my glasses', 'none'],
])('%s: %s', (text, subject) => expect(mostLikely(text)).toBe(subject));

test('a word that no text of the training has says something by its vector', () => {
  const cosine = (one: string, other: string): number => {
    const [left, right] = [meaningOf([one]), meaningOf([other])];
    return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  };
  expect(cosine('tanzania', 'kenya')).toBeGreaterThan(0.7);
  expect(cosine('tanzania', 'kenya')).toBeGreaterThan(cosine('tanzania', 'gravy') + 0.5);
  expect(meaningOf(['qqqqq'])).toEqual(new Float64Array(dimensions));
});

test('each word has its vector', () => {
  const words = readFileSync(vectorFiles.words, 'utf8').trimEnd().split('\n');
  expect(readFileSync(vectorFiles.vectors).length).toBe(words.length * dimensions);
});

test('the heading of an article tells its subject, whichever articles there are', () => {
  const asked = guess('he stops breathing at night and gasps');
  const snoring = likenessOf(asked, {
    headline: 'Loud nights',
    summary: 'Snoring, sleep apnoea and what a mask does.',
  });
  const teeth = likenessOf(asked, { headline: 'Loose teeth', summary: 'Brushing, gums and the dentist.' });
  expect(snoring).toBeGreaterThan(0.5);
  expect(teeth).toBeLessThan(0.1);
});

test('what the model was not taught is known: another library may have it', () => {
  const wordOf = (words: string) => ({ kind: 'word' as const, subjects: [], words });
  expect(isTaught(wordOf('cough'))).toBe(true);
  expect(isTaught(wordOf('porphyria'))).toBe(false);
  expect(isTaught({ kind: 'kind', subjects: ['gout'], words: 'gout' })).toBe(false);
});
