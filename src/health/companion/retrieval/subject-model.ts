import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { softmax } from 'triage/linear-model/softmax';
import type { Concept } from '../../vocabulary/concepts.ts';
import { keyOf } from '../../vocabulary/vocabulary.ts';
import { featureVersion, type SubjectFeatures, subjectBuckets, subjectFeatures } from './subject-features.ts';
import { dimensions, vectorFiles } from './word-vectors.ts';

/** What a question may be about: subjects of the vocabulary whose names find its articles. */
export interface SubjectClass {
  id: string;
  finds: readonly string[];
}

/** Header of the file of weights. */
export interface SubjectHeader {
  /** Of the features and word vectors that the weights belong to. */
  fingerprint: string;
  texts: number;
  /** In the order of the file; what none of them is about has the last row. */
  classes: SubjectClass[];
  /** A weight is its byte times the scale of its row: of buckets, and of the direction of the words. */
  scales: { buckets: number; meaning: number }[];
  biases: number[];
  /** Stems of all words that the classes were trained on, separated by spaces. */
  taught: string;
}

export const subjectFiles = {
  header: join(import.meta.dirname, 'subject-weights.json'),
  weights: join(import.meta.dirname, 'subject-weights.bin'),
} as const;

/** What a text is about. */
export interface SubjectGuess {
  /** A probability for each class; with `none` they sum to 1. */
  classes: readonly number[];
  none: number;
}

interface Row {
  buckets: Int8Array;
  meaning: Int8Array;
  scale: { buckets: number; meaning: number };
  bias: number;
}

interface Model {
  rows: readonly Row[];
  classes: readonly SubjectClass[];
  /** Subjects that a class finds. */
  subjects: ReadonlySet<string>;
  taught: ReadonlySet<string>;
}

let loaded: Model | undefined;

/** Read at the first question: 2.1 MB. */
function model(): Model {
  loaded ??= load();
  return loaded;
}

export const subjectClasses = (): readonly SubjectClass[] => model().classes;

/**
 * Whether the model can know what a concept means: a subject of its classes, or a word of their texts. It knows no other thing that the
 * vocabulary names, such as gout, although questions about it taught what none of the classes is about.
 */
export const isTaught = ({ kind, subjects, words }: Pick<Concept, 'kind' | 'subjects' | 'words'>): boolean =>
  kind === 'word'
    ? model().taught.has(keyOf(words))
    : subjects.length > 0 && subjects.every(one => model().subjects.has(one));

/** The probabilities of what a text is about. */
export function guessSubject(words: readonly string[], concepts: readonly Concept[]): SubjectGuess {
  const features = subjectFeatures(words, concepts);
  const sums = model().rows.map(row => score(row, features));
  const all = softmax(sums);
  return { classes: all.slice(0, -1), none: all.at(-1) ?? 0 };
}

/** Loops by index: with iterators a text took 0.7 ms instead of 0.1. */
function score({ buckets, meaning, scale, bias }: Row, features: SubjectFeatures): number {
  let ofBuckets = 0;
  for (let at = 0; at < features.buckets.length; at++)
    ofBuckets += (buckets[features.buckets[at] ?? 0] ?? 0) * (features.values[at] ?? 0);
  let ofMeaning = 0;
  for (let at = 0; at < dimensions; at++) ofMeaning += (meaning[at] ?? 0) * (features.meaning[at] ?? 0);
  return bias + scale.buckets * ofBuckets + scale.meaning * ofMeaning;
}

/** Digest of what the meaning of the weights depends on. */
export const subjectFingerprint = (): string =>
  createHash('sha256').update(String(featureVersion)).update(readFileSync(vectorFiles.vectors)).digest('hex');

function load(): Model {
  const header = JSON.parse(readFileSync(subjectFiles.header, 'utf8')) as SubjectHeader;
  const bytes = readFileSync(subjectFiles.weights);
  const rows = header.biases.map((bias, no): Row => {
    const from = bytes.byteOffset + no * (subjectBuckets + dimensions);
    return {
      buckets: new Int8Array(bytes.buffer, from, subjectBuckets),
      meaning: new Int8Array(bytes.buffer, from + subjectBuckets, dimensions),
      scale: header.scales[no] ?? { buckets: 0, meaning: 0 },
      bias,
    };
  });
  return {
    rows,
    classes: header.classes,
    subjects: new Set(header.classes.flatMap(({ finds }) => finds)),
    taught: new Set(header.taught.split(' ')),
  };
}
