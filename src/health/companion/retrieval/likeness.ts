import { LRUCache } from 'lru-cache';
import { conceptsOf } from '../../vocabulary/concepts.ts';
import { wordsOfSentences } from '../../vocabulary/vocabulary.ts';
import { guessSubject, type SubjectGuess } from './subject-model.ts';

/** Characters of a heading that are read. A heading takes 0.4 ms, and twelve are compared with a question. */
const maxHeading = 400;

/** What headings are about that were read before, by their texts: 600 bytes each. */
const headings = new LRUCache<string, SubjectGuess>({ max: 2_000 });

/** The probability that a question is about the subject of an article: for each class that of the question times that of the heading. */
export function likenessOf(asked: SubjectGuess, article: { headline: string; summary: string }): number {
  const { classes, none } = subjectOf(`${article.headline}. ${article.summary}`.slice(0, maxHeading));
  const told = 1 - none || 1;
  return classes.reduce((sum, probability, no) => sum + (probability / told) * (asked.classes[no] ?? 0), 0);
}

function subjectOf(heading: string): SubjectGuess {
  const known = headings.get(heading);
  if (known) return known;
  const words = wordsOfSentences(heading);
  const guess = guessSubject(words, conceptsOf(words));
  headings.set(heading, guess);
  return guess;
}
