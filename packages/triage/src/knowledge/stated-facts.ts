import type { Sex, StatedFacts } from './person-facts.ts';
import { parseNumberAt } from './quantities.ts';
import type { Word } from './tokenize.ts';

const monthsIn: ReadonlyMap<string, number> = new Map([
  ['day', 1 / 30.4],
  ['week', 7 / 30.4],
  ['month', 1],
  ['year', 12],
]);
const nouns: ReadonlyMap<string, Sex> = new Map([
  ['man', 'male'],
  ['male', 'male'],
  ['boy', 'male'],
  ['gentleman', 'male'],
  ['son', 'male'],
  ['father', 'male'],
  ['dad', 'male'],
  ['husband', 'male'],
  ['grandfather', 'male'],
  ['grandad', 'male'],
  ['brother', 'male'],
  ['woman', 'female'],
  ['female', 'female'],
  ['girl', 'female'],
  ['lady', 'female'],
  ['daughter', 'female'],
  ['mother', 'female'],
  ['mum', 'female'],
  ['mom', 'female'],
  ['wife', 'female'],
  ['grandmother', 'female'],
  ['sister', 'female'],
]);
const babies = new Set(['baby', 'infant', 'newborn']);
/** Between a person and an age: «my baby is 6 weeks», «my dad, who is 81 years old». */
const copulas = new Set([
  'is',
  'am',
  'im',
  'aged',
  'age',
  'just',
  'only',
  'of',
  'now',
  'who',
  'are',
  'turned',
  'hes',
  'shes',
]);
/** Symptoms that only one sex can have. */
const sexOf: ReadonlyMap<string, Sex> = new Map([
  ['testicle-pain', 'male'],
  ['testicle-lump', 'male'],
  ['penis-soreness', 'male'],
  ['period-pain', 'female'],
  ['missed-period', 'female'],
  ['heavy-periods', 'female'],
  ['vaginal-bleeding', 'female'],
  ['vaginal-discharge', 'female'],
  ['reduced-movements', 'female'],
]);
const maxMonths = 120 * 12;

/** Facts about the person that the words of the texts state. The first statement counts. */
export function statedFacts(texts: readonly (readonly Word[])[], present: ReadonlySet<string>): StatedFacts {
  const facts: { [Key in keyof StatedFacts]?: StatedFacts[Key] | undefined } = {};
  for (const words of texts) {
    for (let at = 0; at < words.length; at++) {
      facts.ageMonths ??= ageAt(words, at);
      facts.pregnancyWeeks ??= pregnancyWeeksAt(words, at);
      facts.sex ??= sexAt(words, at);
    }
  }
  if (present.has('pregnant') || facts.pregnancyWeeks !== undefined) facts.pregnant = true;
  for (const id of present) facts.sex ??= sexOf.get(id);
  // «Newborn» tells the first three months without a number.
  if (facts.ageMonths === undefined && present.has('young-baby')) facts.ageMonths = 1;
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as StatedFacts;
}

function ageAt(words: readonly Word[], at: number): number | undefined {
  const value = parseNumberAt(words, at);
  if (value === undefined) return undefined;
  const [unit, next] = [words[at + 1]?.text ?? '', words[at + 2]?.text ?? ''];
  const inMonths = monthsIn.get(unit);
  if (inMonths !== undefined) {
    const isAge = next === 'old' || babies.has(next) || (nouns.get(next) !== undefined && unit === 'year');
    if ((isAge && words[at + 3]?.text !== 'pain') || (isAgeOf(words, at, babies) && value * inMonths < 36))
      return withinLife(value * inMonths);
    return undefined;
  }
  // «Aged 70», «I am 70», «70 man».
  const before = words[at - 1]?.text ?? '';
  if (before === 'aged' || (before === 'age' && value > 1)) return withinLife(value * 12);
  const isAlone = words[at + 1] === undefined || words[at + 1]?.gap !== 'none' || unit === 'and';
  if (before === 'im' || (before === 'am' && words[at - 2]?.text === 'i'))
    return isAlone && value >= 10 ? withinLife(value * 12) : undefined;
  return undefined;
}

function isAgeOf(words: readonly Word[], at: number, people: ReadonlySet<string>): boolean {
  let back = at - 1;
  while (back > at - 4 && copulas.has(words[back]?.text ?? '')) back--;
  return people.has(words[back]?.text ?? '') && words[back + 1]?.gap !== 'stop';
}

const withinLife = (months: number): number | undefined => (months >= 0 && months <= maxMonths ? months : undefined);

/** «34 weeks pregnant», «pregnant, 34 weeks», «34 weeks gone», «6 months pregnant». */
function pregnancyWeeksAt(words: readonly Word[], at: number): number | undefined {
  const value = parseNumberAt(words, at);
  const unit = words[at + 1]?.text;
  if (value === undefined || (unit !== 'week' && unit !== 'month')) return undefined;
  const after = [words[at + 2]?.text, words[at + 3]?.text];
  const before = [1, 2, 3].map(step => words[at - step]?.text);
  const isNamed =
    after.includes('pregnant') ||
    after.includes('pregnancy') ||
    (before.includes('pregnant') && after[0] !== 'ago') ||
    (after[0] === 'gone' && unit === 'week');
  const weeks = unit === 'week' ? value : Math.round(value * 4.35);
  return isNamed && weeks >= 1 && weeks <= 45 ? weeks : undefined;
}

/** A noun next to an age, or after «I am a»: «65 year old man», «I'm a woman», «my daughter, 4». */
function sexAt(words: readonly Word[], at: number): Sex | undefined {
  const sex = nouns.get(words[at]?.text ?? '');
  if (sex === undefined) return undefined;
  const before = [1, 2, 3, 4].map(step => words[at - step]?.text ?? '');
  const isSelf = before[0] === 'a' && (before[1] === 'am' || before[1] === 'im');
  const isAged = before[0] === 'old' || (before.includes('old') && before.includes('year'));
  const next = parseNumberAt(words, at + 1) ?? parseNumberAt(words, at + 2);
  return isSelf || isAged || next !== undefined ? sex : undefined;
}
