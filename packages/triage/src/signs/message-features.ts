import { featureHash } from '../linear-model/feature-hash.ts';
import type { Token } from './fold-text.ts';

/** Features by their bucket, each once, with its value. */
export interface Features {
  buckets: readonly number[];
  values: readonly number[];
}

/** Buckets of the features of messages; two features of one bucket share a weight. */
export const messageBuckets = 1 << 18;
/** Buckets of the features of languages. */
export const languageBuckets = 1 << 15;

/** Incremented with every change of the features, so that weights of others are refused. */
export const featureVersion = 3;

const han = /\p{Script=Han}/u;
/** Words are compared by their beginning as well: «hanging», «hanged». */
const stemLength = 5;
/** Shortest word whose parts are features, by which misspelled and inflected words are recognised. */
const minSplitLength = 4;
/** Lengths of parts of a word. */
const parts = { message: [3, 4, 5], language: [2, 3, 4] } as const;

/** Values by kind of feature, found by cross-validation: concepts and their pairs count most, parts of words least. */
const values = {
  word: 1,
  stem: 0.7,
  pair: 1,
  skip: 0.6,
  triple: 0.7,
  part: 0.25,
  concept: 1,
  concepts: 0.6,
  meaning: 1,
} as const;

/**
 * Features of a message, of length 1 as a vector: its words, stems, parts of words, two and three words in a row, two words with one
 * between, its concepts and each pair of them, and the English words that its words mean. Linear in the number of words; pairs are
 * bounded by the number of concepts. Pairs of meanings added nothing in cross-validation.
 */
export function messageFeatures(
  tokens: readonly Token[],
  concepts: readonly string[],
  meanings: readonly string[],
): Features {
  const found = new Map<number, number>();
  const add = (name: string, value: number): void => {
    const bucket = featureHash(name) % messageBuckets;
    found.set(bucket, Math.max(found.get(bucket) ?? 0, value));
  };
  let last: string | undefined;
  let beforeLast: string | undefined;
  for (const { text } of tokens) {
    // A number is a feature by its length: no age and no dose is learned.
    const word = /^\d+$/.test(text) ? `#${text.length}` : text;
    const stem = han.test(word) ? word : word.slice(0, stemLength);
    add(`word ${word}`, values.word);
    if (stem !== word) add(`stem ${stem}`, values.stem);
    if (last !== undefined) add(`pair ${last} ${stem}`, values.pair);
    if (last !== undefined && beforeLast !== undefined) {
      add(`skip ${beforeLast} ${stem}`, values.skip);
      add(`triple ${beforeLast} ${last} ${stem}`, values.triple);
    }
    if (word.length >= minSplitLength && !han.test(word))
      for (const part of partsOf(word, parts.message)) add(`part ${part}`, values.part);
    [beforeLast, last] = [last, stem];
  }
  for (const [at, concept] of concepts.entries()) {
    add(`concept ${concept}`, values.concept);
    for (const other of concepts.slice(at + 1)) add(`concepts ${concept} ${other}`, values.concepts);
  }
  for (const meaning of meanings) add(`meaning ${meaning}`, values.meaning);
  return normalize(found);
}

/** Features of the language of a text, of length 1 as a vector: its words and their parts. */
export function languageFeatures(tokens: readonly Token[]): Features {
  const found = new Map<number, number>();
  for (const { text } of tokens) {
    found.set(featureHash(`word ${text}`) % languageBuckets, 1);
    for (const part of partsOf(text, parts.language)) found.set(featureHash(`part ${part}`) % languageBuckets, 1);
  }
  return normalize(found);
}

function* partsOf(word: string, lengths: readonly number[]): Generator<string> {
  const bounded = `<${word}>`;
  for (const length of lengths)
    for (let at = 0; at + length <= bounded.length; at++) yield bounded.slice(at, at + length);
}

function normalize(found: ReadonlyMap<number, number>): Features {
  let sum = 0;
  for (const value of found.values()) sum += value * value;
  const length = Math.sqrt(sum) || 1;
  return { buckets: [...found.keys()], values: [...found.values()].map(value => value / length) };
}
