/** Facts about the person that an assessment is about. Null: not known. */
export interface PersonFacts {
  ageMonths: number | null;
  /** Sex at birth. */
  sex: Sex | null;
  pregnant: boolean | null;
  pregnancyWeeks: number | null;
  conditions: readonly string[];
  medicines: readonly string[];
}

export type Sex = 'female' | 'male';

export const unknownPerson: PersonFacts = {
  ageMonths: null,
  sex: null,
  pregnant: null,
  pregnancyWeeks: null,
  conditions: [],
  medicines: [],
};

/** Facts that a text states: «I am 34 weeks pregnant», «65 year old man». */
export type StatedFacts = Partial<Pick<PersonFacts, 'ageMonths' | 'sex' | 'pregnant' | 'pregnancyWeeks'>>;

/** Whom a rule is about. Ages in months or years and weeks of pregnancy, each from and below. */
export interface Who {
  from_months?: number;
  below_months?: number;
  from_years?: number;
  below_years?: number;
  sex?: Sex;
  pregnant?: boolean;
  from_week?: number;
  below_week?: number;
}

export const whoKeys = [
  'from_months',
  'below_months',
  'from_years',
  'below_years',
  'sex',
  'pregnant',
  'from_week',
  'below_week',
] as const;

/** Fact that a rule needs and that is not known. */
export type MissingFact = 'age' | 'sex' | 'pregnant';

/** Ages outside of which nobody is asked about a pregnancy. */
const fertileMonths = { from: 11 * 12, below: 56 * 12 };

/** Whether the rule is about this person; a fact if that depends on it. An unknown week of pregnancy counts as any week. */
export function matchWho(who: Who, person: PersonFacts): boolean | MissingFact {
  const { ageMonths: age, sex, pregnant, pregnancyWeeks: weeks } = person;
  const from = Math.max(who.from_months ?? 0, (who.from_years ?? 0) * 12);
  const below = Math.min(who.below_months ?? Infinity, (who.below_years ?? Infinity) * 12);
  const hasAge = from > 0 || below < Infinity;
  if (hasAge && age !== null && (age < from || age >= below)) return false;
  if (who.sex !== undefined && sex !== null && sex !== who.sex) return false;
  if (who.pregnant !== undefined) {
    if (pregnant !== null && pregnant !== who.pregnant) return false;
    if (who.pregnant && pregnant === null && !canBePregnant(person)) return false;
  }
  const hasWeeks = who.from_week !== undefined || who.below_week !== undefined;
  if (hasWeeks && weeks !== null && (weeks < (who.from_week ?? 0) || weeks >= (who.below_week ?? Infinity)))
    return false;
  if (who.pregnant === true && pregnant === null) return 'pregnant';
  if (hasAge && age === null) return 'age';
  if (who.sex !== undefined && sex === null) return 'sex';
  return true;
}

export function canBePregnant({ ageMonths, sex, pregnant }: PersonFacts): boolean {
  if (pregnant !== null) return pregnant;
  return sex !== 'male' && (ageMonths === null || (ageMonths >= fertileMonths.from && ageMonths < fertileMonths.below));
}

/** Adds what the texts state; what was given as a field wins. A pregnancy that is stated tells the sex. */
export function completeFacts(given: PersonFacts, stated: StatedFacts): PersonFacts {
  const pregnant = given.pregnant ?? (canBePregnant(given) ? (stated.pregnant ?? null) : null);
  return {
    ...given,
    ageMonths: given.ageMonths ?? stated.ageMonths ?? null,
    pregnant,
    pregnancyWeeks: given.pregnancyWeeks ?? (pregnant ? (stated.pregnancyWeeks ?? null) : null),
    sex: given.sex ?? (pregnant ? 'female' : (stated.sex ?? null)),
  };
}

/** Ids of the facts in `knowledge/symptoms.json` that follow from age and pregnancy. */
export function factIds({ ageMonths, pregnant }: PersonFacts): string[] {
  const ids: string[] = [];
  if (ageMonths !== null) {
    if (ageMonths < 3) ids.push('young-baby');
    if (ageMonths < 12) ids.push('baby');
    if (ageMonths < 16 * 12) ids.push('child');
  }
  if (pregnant) ids.push('pregnant');
  return ids;
}

/** Facts that contradict the person: an adult's «baby» is a word, not the person's age. */
export function contradictedIds(person: PersonFacts): string[] {
  const { ageMonths } = person;
  const ids: string[] = [];
  if (ageMonths !== null) {
    if (ageMonths >= 3) ids.push('young-baby');
    if (ageMonths >= 12) ids.push('baby');
    if (ageMonths >= 16 * 12) ids.push('child');
  }
  if (!canBePregnant(person)) ids.push('pregnant');
  return ids;
}

/** «4 months old», «34 years old», «female», «31 weeks pregnant». */
export function describeFacts({ ageMonths, sex, pregnant, pregnancyWeeks }: PersonFacts): string[] {
  const facts: string[] = [];
  if (ageMonths !== null)
    facts.push(`${ageMonths < 24 ? countOf(ageMonths, 'month') : countOf(ageMonths / 12, 'year')} old`);
  if (sex !== null) facts.push(sex);
  if (pregnant) facts.push(pregnancyWeeks === null ? 'pregnant' : `${countOf(pregnancyWeeks, 'week')} pregnant`);
  return facts;
}

/** «1 month», «2 months»: whole units that have passed. */
function countOf(units: number, unit: string): string {
  const count = Math.floor(units);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
