import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AcuityFeatures, featureVersion } from './acuity-features.ts';

/** Levels of care above self-care, in the order of the weights. */
export const acuities = ['routine', 'urgent', 'emergency'] as const;
export type Acuity = (typeof acuities)[number];

/** File of weights, written by `scripts/train-acuity-model.ts`. */
export interface AcuityWeights {
  /** Digest of the version of the features and of the training sets. */
  fingerprint: string;
  /** Number of reports that the weights were trained on. */
  reports: number;
  /** By level. */
  biases: number[];
  /** By feature, one weight for each level. */
  weights: Record<string, number[]>;
}

export const acuityWeightsFile = join(import.meta.dirname, 'acuity-weights.json');

/** How likely it is that at least this care is needed, 0 to 1 each. */
export type AcuityScores = Readonly<Record<Acuity, number>>;

/** Fewest words, and their least share that training has seen, from which a report is judged. */
const minWords = 8;
const minKnownShare = 0.7;

let loaded: (Pick<AcuityWeights, 'biases'> & { weights: ReadonlyMap<string, readonly number[]> }) | undefined;

/**
 * Scores of a report; null where it tells no duration or rating, or too little, or mostly what training has not seen: another
 * language, another subject.
 */
export function acuityOf({ values, words, isComplete }: AcuityFeatures): AcuityScores | null {
  if (!isComplete) return null;
  loaded ??= load();
  const { biases, weights } = loaded;
  const known = words.filter(word => weights.has(word)).length;
  if (words.length < minWords || known < minKnownShare * words.length) return null;
  const sums = acuities.map((_level, at) => biases[at] ?? 0);
  for (const [name, value] of values)
    for (const [at, weight] of weights.get(name)?.entries() ?? []) sums[at] = (sums[at] ?? 0) + weight * value;
  const [routine = 0, urgent = 0, emergency = 0] = sums.map(sigmoid);
  return { routine, urgent, emergency };
}

/** Digest of what the meaning of the weights depends on; `sets`: the texts of the training sets. */
export function acuityFingerprint(sets: readonly string[]): string {
  return createHash('sha256')
    .update(`${featureVersion} ${sets.join('\n')}`)
    .digest('hex');
}

/** Of a sum of weights, 0 to 1. */
export function sigmoid(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}

/** Read at the first assessment. */
function load(): NonNullable<typeof loaded> {
  const { biases, weights } = JSON.parse(readFileSync(acuityWeightsFile, 'utf8')) as AcuityWeights;
  return { biases, weights: new Map(Object.entries(weights)) };
}
