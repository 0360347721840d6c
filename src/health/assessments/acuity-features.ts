import type { PersonFacts } from './person-facts.ts';
import type { SymptomReport } from './symptom-report.ts';
import { tokenize, type Word } from './tokenize.ts';
import { familyOf } from './word-family.ts';

/** Features of a report by name, with their values, and how much of its text they hold. */
export interface AcuityFeatures {
  values: ReadonlyMap<string, number>;
  /** Names of the features of its words, one for each word. */
  words: readonly string[];
  /** Whether a duration and a rating were told. */
  isComplete: boolean;
}

/** What the features are made of. `days`: the duration, null when it is not known. */
export type AcuityReport = Pick<SymptomReport, 'symptoms' | 'notes' | 'trend' | 'severity'> & {
  person: PersonFacts;
  days: number | null;
};

/** Incremented with every change of the features, so that weights of others are refused. */
export const featureVersion = 1;

/** Start of the names of features that never speak for less care: a higher rating or a worse trend lowers nothing. */
export const risingPrefix = 'rising ';

/** Values by kind of feature. A family is `word-family.ts`; a skip has one word between. */
const textValues = { word: 1, family: 0.7, pair: 0.8, skip: 0.4 } as const;
/** Length of the vector of the features of words, and the value of each other feature. */
const textLength = 2.8;
const factValue = 0.4;
const feverDegrees = { from: 37.9, below: 43 };
const normalDegrees = 35;

/** Upper limits of durations in days, each with its name. */
const durations: [below: number, name: string][] = [
  [0.3, 'hours'],
  [1.01, 'a day'],
  [4, 'days'],
  [8, 'a week'],
  [22, 'weeks'],
  [61, 'months'],
  [Infinity, 'long'],
];
/** Upper limits of ages in months. */
const ages: [below: number, name: string][] = [
  [3, 'below 3 months'],
  [12, 'below 1 year'],
  [60, 'below 5 years'],
  [192, 'below 16 years'],
  [480, 'below 40 years'],
  [780, 'below 65 years'],
  [Infinity, '65 years or older'],
];

/**
 * Features of a report: its words, their families, two words in a row and two with one between, duration, trend, rating, age,
 * pregnancy, and words of conditions and medicines. Nothing of the knowledge base: the model is a second opinion that does not
 * change with the rules. Linear in the number of words.
 */
export function acuityFeatures({ symptoms, notes, person, days, trend, severity }: AcuityReport): AcuityFeatures {
  const values = new Map<string, number>();
  const words: string[] = [];
  for (const text of [...symptoms, notes]) {
    let last: string | undefined;
    let beforeLast: string | undefined;
    for (const word of tokenize(text, noSpellings)) {
      const name = nameOf(word);
      const family = familyOf(name);
      words.push(`word ${name}`);
      values.set(`word ${name}`, textValues.word);
      values.set(`family ${family}`, textValues.family);
      if (last !== undefined && word.gap !== 'stop') {
        values.set(`pair ${last} ${family}`, textValues.pair);
        if (beforeLast !== undefined) values.set(`skip ${beforeLast} ${family}`, textValues.skip);
      }
      [beforeLast, last] = [last, family];
    }
  }
  let sum = 0;
  for (const value of values.values()) sum += value * value;
  const scale = textLength / (Math.sqrt(sum) || 1);
  for (const [name, value] of values) values.set(name, value * scale);
  const addFact = (name: string): void => {
    values.set(name, factValue);
  };
  for (const text of [...person.conditions, ...person.medicines])
    for (const { text: word } of tokenize(text, noSpellings)) addFact(`history ${familyOf(word)}`);
  if (person.ageMonths !== null) addFact(`age ${bandOf(ages, person.ageMonths)}`);
  if (person.pregnant) addFact('pregnant');
  if (days !== null) addFact(`duration ${bandOf(durations, days)}`);
  if (trend !== 'getting better') addFact(`${risingPrefix}trend not better`);
  if (trend === 'getting worse') addFact(`${risingPrefix}trend worse`);
  for (let from = 2; from <= (severity ?? 0); from++) addFact(`${risingPrefix}rating from ${from}`);
  return { values, words, isComplete: days !== null && severity !== null };
}

const noSpellings: ReadonlyMap<string, readonly string[]> = new Map();

/** A number is a temperature, or counts by its digits: no age and no dose is learned. */
function nameOf({ text }: Word): string {
  if (!/^\d/.test(text)) return text;
  const value = Number(text.replace(',', '.'));
  if (value >= feverDegrees.from && value < feverDegrees.below) return '#fever';
  return value >= normalDegrees && value < feverDegrees.from ? '#normal' : `#${text.length}`;
}

const bandOf = (bands: readonly [below: number, name: string][], value: number): string =>
  bands.find(([below]) => value < below)?.[1] ?? '';
