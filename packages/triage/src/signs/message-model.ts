import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { softmax } from '../linear-model/softmax.ts';
import { conceptsIn, conceptTexts } from './concepts.ts';
import type { Token } from './fold-text.ts';
import { glossaryTexts, meaningsIn } from './glossary.ts';
import {
  type Features,
  featureVersion,
  languageBuckets,
  languageFeatures,
  messageBuckets,
  messageFeatures,
} from './message-features.ts';

/** Outcomes of the three classifiers, in the order of their weights. */
export const outcomes = {
  kind: ['crisis', 'emergency', 'harmless'],
  subject: ['self', 'other', 'abuse', 'harm'],
  /** Languages in Latin letters; the others are known by their script. */
  language: ['en', 'es', 'fr', 'de', 'pt', 'it', 'hi', 'tr'],
} as const;

export type Classifier = keyof typeof outcomes;
export type Subject = (typeof outcomes.subject)[number];

/** Header of the file of weights. */
export interface WeightsHeader {
  /** Of the concepts, the glossaries and the version of the features that the weights belong to. */
  fingerprint: string;
  /** Number of texts that the weights were trained on. */
  texts: number;
  /** By outcome in the order of the file: a weight is its byte times the scale. */
  scales: Record<Classifier, number[]>;
  biases: Record<Classifier, number[]>;
}

/** Probabilities that sum to 1. */
export type Scores<Outcome extends string> = Readonly<Record<Outcome, number>>;

interface Row {
  weights: Int8Array;
  scale: number;
  bias: number;
}

export const weightsFiles = {
  header: join(import.meta.dirname, 'message-weights.json'),
  weights: join(import.meta.dirname, 'message-weights.bin'),
} as const;

let loaded: Record<Classifier, readonly Row[]> | undefined;

/** Probabilities that a message of a language tells of a crisis, of a medical emergency, or of neither. */
export function scoreKinds(tokens: readonly Token[], language: string): Scores<(typeof outcomes.kind)[number]> {
  return score('kind', featuresOf(tokens, language));
}

/** Probabilities of the subjects of a crisis. */
export function scoreSubjects(tokens: readonly Token[], language: string): Scores<Subject> {
  return score('subject', featuresOf(tokens, language));
}

/** Features by the words of a message and its language: two classifiers read those of a crisis. */
const features = new WeakMap<readonly Token[], Map<string, Features>>();

/** Features of a message of a language. */
export function featuresOf(tokens: readonly Token[], language: string): Features {
  const ofTokens = features.get(tokens) ?? new Map<string, Features>();
  features.set(tokens, ofTokens);
  const found =
    ofTokens.get(language) ?? messageFeatures(tokens, conceptsIn(tokens, language), meaningsIn(tokens, language));
  ofTokens.set(language, found);
  return found;
}

/** Probabilities of the languages in Latin letters. */
export function scoreLanguages(tokens: readonly Token[]): Scores<(typeof outcomes.language)[number]> {
  return score('language', languageFeatures(tokens));
}

/** Digest of what the weights belong to. */
export function modelFingerprint(): string {
  const digest = createHash('sha256').update(String(featureVersion));
  for (const text of [...conceptTexts(), ...glossaryTexts()]) digest.update(text);
  return digest.digest('hex');
}

export function bucketsOf(classifier: Classifier): number {
  return classifier === 'language' ? languageBuckets : messageBuckets;
}

function score<Name extends Classifier>(
  classifier: Name,
  { buckets, values }: Features,
): Scores<(typeof outcomes)[Name][number]> {
  loaded ??= load();
  const sums = loaded[classifier].map(({ weights, scale, bias }) => {
    let sum = 0;
    for (const [at, bucket] of buckets.entries()) sum += (weights[bucket] ?? 0) * (values[at] ?? 0);
    return sum * scale + bias;
  });
  return Object.fromEntries(softmax(sums).map((probability, at) => [outcomes[classifier][at], probability])) as Scores<
    (typeof outcomes)[Name][number]
  >;
}

/** Read at the first message: 2.1 MB. */
function load(): Record<Classifier, readonly Row[]> {
  const { scales, biases } = JSON.parse(readFileSync(weightsFiles.header, 'utf8')) as WeightsHeader;
  const bytes = readFileSync(weightsFiles.weights);
  let from = 0;
  const rows = (classifier: Classifier): Row[] =>
    outcomes[classifier].map((_outcome, at) => {
      const weights = new Int8Array(bytes.buffer, bytes.byteOffset + from, bucketsOf(classifier));
      from += weights.length;
      return { weights, scale: scales[classifier][at] ?? 0, bias: biases[classifier][at] ?? 0 };
    });
  // In the order of the file.
  return { kind: rows('kind'), subject: rows('subject'), language: rows('language') };
}
