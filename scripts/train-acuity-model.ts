import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { personOf, type TriageItem } from '../bench/triage-set.ts';
import { acuityFeatures, risingPrefix } from '../src/health/assessments/acuity-features.ts';
import {
  type AcuityWeights,
  acuities,
  acuityFingerprint,
  acuityWeightsFile,
  sigmoid,
} from '../src/health/assessments/acuity-model.ts';
import { type Level, levels } from '../src/health/assessments/knowledge-schema.ts';
import { parseDurationDays } from '../src/health/assessments/quantities.ts';
import { tokenize } from '../src/health/assessments/tokenize.ts';

/**
 * Trains the model of acuity and writes its weights: `node scripts/train-acuity-model.ts [<file>…]`, by default on the sets below.
 * Takes some seconds. The same sets give the same weights. For each level the model learns whether less care than it is not enough:
 * whether the least level that is accepted for the vignette is at least this one.
 */
const sets = join(import.meta.dirname, '..', 'bench', 'sets');
const defaultFiles = ['triage.training.json', 'triage.tuning.json', 'triage.fresh-a.json'].map(name =>
  join(sets, name),
);

interface Example {
  features: [index: number, value: number][];
  /** Rank of the least accepted level. */
  least: number;
}

/** Features of fewer vignettes are left out. */
const minVignettes = 2;
/** Penalty of squared weights, found by leaving one set out. */
const penalty = 0.5;
const passes = 150;

function main(files: string[]): void {
  const contents = files.map(file => readFileSync(file, 'utf8'));
  const items = contents.flatMap(text => JSON.parse(text) as TriageItem[]);
  const { examples, names } = examplesOf(items);
  const trained = acuities.map(level => train(examples, levels.indexOf(level), names));
  const weights = names.map((name, at): [string, number[]] => [name, trained.map(row => round(row[at] ?? 0))]);
  const file: AcuityWeights = {
    fingerprint: acuityFingerprint(contents),
    reports: items.length,
    biases: trained.map(row => round(row.at(-1) ?? 0)),
    weights: Object.fromEntries(weights.sort(([one], [other]) => (one < other ? -1 : 1))),
  };
  writeFileSync(
    acuityWeightsFile,
    `${JSON.stringify(file).replace(/],/g, '],\n').replace('"weights":{', '"weights":{\n')}\n`,
  );
  console.log(`Trained on ${items.length} vignettes, ${names.length} features.`);
}

const round = (value: number): number => Number(value.toFixed(3));

function examplesOf(items: readonly TriageItem[]): { examples: Example[]; names: string[] } {
  const found = items.map(item => ({ item, values: acuityFeatures(reportOf(item)).values }));
  const counts = new Map<string, number>();
  for (const { values } of found) for (const name of values.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].filter(([, count]) => count >= minVignettes).map(([name]) => name);
  const indexes = new Map(names.map((name, at) => [name, at]));
  const examples = found.map(({ item, values }) => ({
    features: [...values].flatMap(([name, value]): [number, number][] => {
      const at = indexes.get(name);
      return at === undefined ? [] : [[at, value]];
    }),
    least: Math.min(...item.acceptable.map(level => levels.indexOf(level as Level))),
  }));
  return { examples, names };
}

function reportOf({ symptoms, person, duration, trend, severity }: TriageItem): Parameters<typeof acuityFeatures>[0] {
  return {
    symptoms,
    notes: '',
    trend,
    severity,
    days: duration === null ? null : parseDurationDays(duration, tokenize(duration, new Map())),
    person: personOf(person),
  };
}

/** Logistic regression with a penalty of squared weights, by gradient descent with momentum (Nesterov). The bias is last. */
function train(examples: readonly Example[], rank: number, names: readonly string[]): Float64Array {
  const count = names.length;
  const rising = names.flatMap((name, at) => (name.startsWith(risingPrefix) ? [at] : []));
  const step = 1 / (0.25 * largestEigenvalue(examples, count) + penalty);
  let weights = new Float64Array(count + 1);
  let ahead = weights.slice();
  let momentum = 1;
  for (let pass = 0; pass < passes; pass++) {
    const gradient = ahead.map((weight, at) => (at < count ? penalty * weight : 0));
    for (const { features, least } of examples) {
      const error = sigmoid(sumOf(features, ahead)) - (least >= rank ? 1 : 0);
      addTo(gradient, features, error);
    }
    const next = ahead.map((weight, at) => weight - step * (gradient[at] ?? 0));
    for (const at of rising) next[at] = Math.max(0, next[at] ?? 0);
    const following = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const share = (momentum - 1) / following;
    ahead = next.map((weight, at) => weight + share * (weight - (weights[at] ?? 0)));
    [weights, momentum] = [next, following];
  }
  return weights;
}

/** Of the features' products, by power iteration: no step of the descent may be longer. */
function largestEigenvalue(examples: readonly Example[], count: number): number {
  let vector = new Float64Array(count + 1).fill(1 / Math.sqrt(count + 1));
  let length = 1;
  for (let round = 0; round < 40; round++) {
    const next = new Float64Array(count + 1);
    for (const { features } of examples) addTo(next, features, sumOf(features, vector));
    length = Math.hypot(...next);
    vector = next.map(value => value / length);
  }
  return length;
}

function sumOf(features: readonly [number, number][], weights: Float64Array): number {
  return features.reduce((sum, [at, value]) => sum + (weights[at] ?? 0) * value, weights.at(-1) ?? 0);
}

function addTo(target: Float64Array, features: readonly [number, number][], times: number): void {
  for (const [at, value] of features) target[at] = (target[at] ?? 0) + value * times;
  target[target.length - 1] = (target.at(-1) ?? 0) + times;
}

const named = process.argv.slice(2);
main(named.length > 0 ? named : defaultFiles);
