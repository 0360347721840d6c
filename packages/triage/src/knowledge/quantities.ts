import type { Word } from './tokenize.ts';

/** A number with a medical meaning: the symptom or fact it stands for, and its position. */
export interface Quantity {
  id: string;
  start: number;
  end: number;
}

const smallNumbers = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const tens: ReadonlyMap<string, number> = new Map([
  ['fifteen', 15],
  ['twenty', 20],
  ['thirty', 30],
  ['forty', 40],
  ['fifty', 50],
  ['hundred', 100],
]);
const daysIn: ReadonlyMap<string, number> = new Map([
  ['day', 1],
  ['week', 7],
  ['w', 7],
  ['month', 30.4],
  ['year', 365],
]);
const babyWords = new Set(['baby', 'infant', 'newborn', 'aged', 'age']);
const betweenBabyAndAge = new Set(['is', 'of', 'only', 'just', 'aged']);

/** A number in digits or as a single word; undefined for other words. */
export function parseNumberAt(words: readonly Word[], at: number): number | undefined {
  const text = words[at]?.text;
  if (text === undefined) return undefined;
  if (/^\d+(?:[.,]\d+)?$/.test(text)) return Number(text.replace(',', '.'));
  const spelled = smallNumbers.indexOf(text);
  return spelled >= 0 ? spelled : tens.get(text);
}

/**
 * Interprets temperatures, ages of children, blood pressures, oxygen saturations and tablet counts. `normalAt`: words
 * that a normal reading negates, such as «temperature» in «temperature 36.8».
 */
export function findQuantities(words: readonly Word[]): { found: Quantity[]; normalAt: Set<number> } {
  const found: Quantity[] = [];
  const normalAt = new Set<number>();
  for (let at = 0; at < words.length; at++) {
    const value = parseNumberAt(words, at);
    if (value === undefined) continue;
    for (const id of [
      ...temperatureSymptoms(words, at, value, normalAt),
      ...ageFacts(words, at, value),
      ...bloodPressureSymptoms(words, at, value, normalAt),
      ...oxygenSymptoms(words, at, value),
      ...overdoseSymptoms(words, at, value),
    ])
      found.push({ id, start: at, end: at + 1 });
  }
  return { found, normalAt };
}

/** Index of the nearest of `wanted` within a few words before `at`, in the same sentence. */
function findBefore(
  words: readonly Word[],
  at: number,
  wanted: ReadonlySet<string>,
  maxDistance = 4,
): number | undefined {
  for (let back = at - 1; back >= 0 && back >= at - maxDistance; back--) {
    if (words[back + 1]?.gap === 'stop') return undefined;
    if (wanted.has(words[back]?.text ?? '')) return back;
  }
  return undefined;
}

const temperatureWords = new Set(['temperature', 'fever', 'thermometer']);
const celsiusWords = new Set(['c', 'celsius', 'centigrade']);
const fahrenheitWords = new Set(['f', 'fahrenheit']);

function temperatureSymptoms(words: readonly Word[], at: number, value: number, normalAt: Set<number>): string[] {
  const named = findBefore(words, at, temperatureWords);
  const next = words[at + 1]?.text ?? '';
  const unit = next === 'degree' && words[at + 2] ? [next, words[at + 2]?.text ?? ''] : [next];
  const inF = unit.some(one => fahrenheitWords.has(one));
  const isNamed =
    named !== undefined ||
    inF ||
    unit.some(one => celsiusWords.has(one)) ||
    next === 'fever' ||
    next === 'temperature' ||
    isBareTemperature(words, at, value);
  if (!isNamed) return [];
  const degrees = inF || (value >= 90 && value <= 112) ? ((value - 32) * 5) / 9 : value;
  if (degrees < 25 || degrees > 45) return [];
  if (degrees >= 37.95) return degrees >= 39.95 ? ['high-fever'] : ['fever'];
  if (degrees < 35) return ['hypothermia'];
  normalAt.add(named !== undefined && words[named]?.text === 'temperature' ? named : at);
  return [];
}

/** «38.2 under the arm»: no other number of a report is between 35 and 42 and has one decimal, unless a unit follows. */
function isBareTemperature(words: readonly Word[], at: number, value: number): boolean {
  const text = words[at]?.text ?? '';
  return /^\d\d[.,]\d$/.test(text) && value >= 35 && value <= 42.5 && !otherUnits.has(words[at + 1]?.text ?? '');
}

const otherUnits = new Set([
  'kg',
  'kilo',
  'cm',
  'mm',
  'mg',
  'ml',
  'mmol',
  'week',
  'year',
  'month',
  'percent',
  'stone',
  'unit',
]);

function ageFacts(words: readonly Word[], at: number, value: number): string[] {
  const days = daysIn.get(words[at + 1]?.text ?? '');
  if (days === undefined) return [];
  const old = words[at + 2]?.text === 'old';
  if (!old && !isAgeOfBaby(words, at)) return [];
  if (value * days < 91.5) return ['young-baby'];
  if (value * days < 366) return ['baby'];
  return value * days < 366 * 16 ? ['child'] : [];
}

/** «Baby is 6 weeks» and «6 week baby», but not «baby has had a fever for 2 weeks». */
function isAgeOfBaby(words: readonly Word[], at: number): boolean {
  if (babyWords.has(words[at + 2]?.text ?? '')) return true;
  const near = words[at - 1]?.text ?? '';
  const there = betweenBabyAndAge.has(near) ? (words[at - 2]?.text ?? '') : near;
  return babyWords.has(near) || babyWords.has(there);
}

const pressureWords = new Set(['pressure']);

function bloodPressureSymptoms(words: readonly Word[], at: number, value: number, normalAt: Set<number>): string[] {
  if (words[at + 1]?.text !== '/' && words[at + 1]?.text !== 'over') return [];
  const lower = parseNumberAt(words, at + 2);
  if (lower === undefined || value < 60 || value > 300 || lower < 30 || lower >= value || value === lower) return [];
  if (value >= 180 || lower >= 120) return ['very-high-blood-pressure'];
  if (value >= 140 || lower >= 90) return ['high-blood-pressure'];
  const named = findBefore(words, at, pressureWords);
  if (named !== undefined && words[named - 1]?.text === 'blood') normalAt.add(named - 1);
  return [];
}

const oxygenWords = new Set(['oxygen', 'spo2', 'sat', 'saturation', 'o2']);

function oxygenSymptoms(words: readonly Word[], at: number, value: number): string[] {
  return value >= 50 && value < 92 && findBefore(words, at, oxygenWords) !== undefined ? ['low-oxygen'] : [];
}

const intakeWords = new Set(['took', 'taken', 'swallowed', 'ate', 'taking', 'take']);
/** More tablets at once than any prescription. */
const minOverdoseTablets = 8;

function overdoseSymptoms(words: readonly Word[], at: number, value: number): string[] {
  if (value < minOverdoseTablets || findBefore(words, at, intakeWords, 3) === undefined) return [];
  const counted = [1, 2, 3].some(step => words[at + step]?.text === 'tablet');
  return counted ? ['poisoning'] : [];
}

/** Parses a duration to days, rounding vague ones down; null when it is not understood. */
export function parseDurationDays(duration: string, words: readonly Word[]): number | null {
  const text = duration.toLowerCase();
  if (/\bfortnight\b/.test(text)) return 14;
  for (let at = 0; at < words.length; at++) {
    const unit = daysIn.get(words[at]?.text ?? '');
    if (unit === undefined) continue;
    const count = parseNumberAt(words, at - 1) ?? parseVagueCount(words[at - 1]?.text, unit);
    if (/\b(?:less|under|fewer|below)\b/.test(text)) return Math.max(0, count * unit - 1);
    return /\b(?:more|over|longer|than|above)\b/.test(text) ? count * unit + 1 : count * unit;
  }
  if (/\byesterday\b/.test(text)) return 1;
  if (/\b(?:today|hours?|minutes?|just now|this morning|tonight)\b/.test(text)) return 0;
  return /\b(?:always|ages|forever|chronic|long time)\b/.test(text) ? 365 : null;
}

function parseVagueCount(word: string | undefined, unit: number): number {
  if (word === 'several' || word === 'few' || word === 'some') return 3;
  if (word === 'couple' || word === 'of') return 2;
  // «For months» means at least two.
  return word === 'for' && unit > 1 ? 2 : 1;
}
