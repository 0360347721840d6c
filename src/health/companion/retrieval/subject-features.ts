import { featureHash } from 'triage/linear-model/feature-hash';
import type { Concept } from '../../vocabulary/concepts.ts';
import { isStopWord, keyOf, sentenceEnd } from '../../vocabulary/vocabulary.ts';
import { meaningOf } from './word-vectors.ts';

/** What a text has for the model of subjects. */
export interface SubjectFeatures {
  /** Buckets of its words, pairs of words and concepts, each once. */
  buckets: readonly number[];
  values: readonly number[];
  /** The direction of its words (`word-vectors.ts`). */
  meaning: Float64Array;
}

/** Two features of one bucket share a weight. */
export const subjectBuckets = 1 << 15;

/** Incremented with every change of the features, so that weights of others are refused. */
export const featureVersion = 1;

/** Values by kind of feature, found by cross-validation. */
const values = { word: 1, pair: 0.5, concept: 0.5, meaning: 1.5 } as const;

/** Features of a text: its words, two words in a row, what the vocabulary finds in it, and the direction of its words. */
export function subjectFeatures(words: readonly string[], concepts: readonly Concept[]): SubjectFeatures {
  const found = new Map<number, number>();
  const add = (name: string, value: number): void => {
    const bucket = featureHash(name) % subjectBuckets;
    found.set(bucket, (found.get(bucket) ?? 0) + value);
  };
  const written = words.filter(word => word !== sentenceEnd);
  const content = written.filter(word => !isStopWord(word));
  const keys = written.map(keyOf);
  for (const word of content) add(keyOf(word), values.word);
  for (const [at, key] of keys.entries()) if (at > 0) add(`${keys[at - 1] ?? ''} ${key}`, values.pair);
  const length = Math.sqrt([...found.values()].reduce((sum, value) => sum + value * value, 0)) || 1;
  for (const [bucket, value] of found) found.set(bucket, value / length);
  for (const { kind, subjects } of concepts) {
    if (kind === 'word') continue;
    const names = kind === 'name' || kind === 'sign' ? subjects.map(subject => `#${kind} ${subject}`) : [`#${kind}`];
    for (const name of names) add(name, values.concept);
  }
  return {
    buckets: [...found.keys()],
    values: [...found.values()],
    meaning: meaningOf(content).map(value => values.meaning * value),
  };
}
