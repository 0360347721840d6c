import type { RedFlag } from './knowledge-schema.ts';
import { matchWho, type PersonFacts } from './person-facts.ts';

/** What the red flags are checked against. */
export interface Signs {
  present: ReadonlySet<string>;
  person: PersonFacts;
  /** Duration in days; null when it is not known. */
  days: number | null;
  isWorsening: boolean;
}

/** The red flags that apply, emergencies first. A fact that is not known raises none: it is asked for. */
export function raisedFlags(flags: readonly RedFlag[], signs: Signs): RedFlag[] {
  return flags
    .filter(flag => isRaised(flag, signs))
    .sort((a, b) => Number(b.level === 'emergency') - Number(a.level === 'emergency'));
}

function isRaised({ when, who, unless }: RedFlag, { present, person, days, isWorsening }: Signs): boolean {
  if (!when.every(group => group.some(id => present.has(id)))) return false;
  if (who && matchWho(who, person) !== true) return false;
  if (!unless || isWorsening || days === null || days < unless.days) return true;
  return !unless.signs.some(id => present.has(id));
}
