import { knowledge } from 'triage/knowledge/knowledge';
import { type Condition, type Level, levels, type RedFlag, type Urgency } from 'triage/knowledge/knowledge-schema';
import { raisedFlags, type Signs } from 'triage/knowledge/red-flags';
import { canHave, matchedShare } from './causes.ts';

/** What the triage level is decided from. */
export interface TriageSigns extends Signs {
  /** Number of texts that were not recognized. */
  unmatched: number;
  /** Number of those that have a word that can tell a complaint. */
  unclear: number;
  /** Number of all texts. */
  texts: number;
  /** 1 to 10 as rated by the person. */
  rating: number | null;
}

export interface TriageDecision {
  level: Level;
  /** The level that red flags and symptoms ask for which were named, without what is inferred from all of them together. */
  named: Level;
  /** The red flags that it rests on, emergencies first. */
  redFlags: RedFlag[];
}

/** Share of a condition's symptom weights from which its urgency raises the triage level. */
const minConditionMatch = 0.5;
/** Weight of signs that name a condition. */
const namingWeight = 5;
const longDurationDays = 30;
/** What gets worse over this many days does so slowly: an appointment is soon enough. */
const slowDays = 60;
const levelOfUrgency: Record<Urgency, Level> = { high: 'urgent', medium: 'routine', low: 'self_care' };

export const triageLevelOf = (signs: TriageSigns): Level => decideTriage(signs).level;

/**
 * Red flags decide first; every other sign can raise the level. Two things take back what is not urgent by itself, so that one
 * more sign can lower an appointment to self-care, and nothing else: a harmless condition that a sign names explains its other
 * signs, and a slow one explains a long duration and a slow change for the worse, where it explains all signs.
 */
export function decideTriage(signs: TriageSigns): TriageDecision {
  const { symptoms, conditions, redFlags } = knowledge();
  const { present, person, days, isWorsening, unmatched, unclear, texts, rating } = signs;
  const flags = raisedFlags(redFlags, signs);
  let level: Level = 'self_care';
  const raise = (to: Level): void => {
    level = higherOf(level, to);
  };
  let named: Level = 'self_care';
  for (const { level: flagged } of flags) named = higherOf(named, flagged);
  raise(named);
  const fitting = conditions.filter(one => isNamedBySigns(one, signs));
  const harmless = fitting.filter(one => one.urgency === 'low');
  const explained = signsOf(harmless);
  const slow = signsOf(fitting.filter(one => one.slow));
  let recognized = 0;
  let isSlow = unclear === 0;
  for (const id of present) {
    const symptom = symptoms.get(id);
    if (!symptom || symptom.kind === 'context' || symptom.kind === 'circumstance') continue;
    recognized++;
    isSlow &&= slow.has(id);
    named = higherOf(named, symptom.level);
    if (symptom.level !== 'routine' || !explained.has(id)) raise(symptom.level);
  }
  // By share, not by rank: an additional symptom would otherwise displace another condition.
  for (const one of conditions) {
    if (matchedShare(one, present) >= minConditionMatch && canHave(one, { present, person }))
      raise(levelOfUrgency[one.urgency]);
  }
  // Unrecognized symptoms may be anything, unless a harmless condition is recognized and they only describe it.
  const isDescribed = harmless.length > 0 && unclear === 0 && unmatched * 3 <= texts * 2;
  if ((unmatched > 0 && !isDescribed) || recognized === 0) raise('routine');
  if (present.has('young-baby') && (harmless.length === 0 || unmatched > 0)) raise('routine');
  if (days !== null && days > longDurationDays && !isSlow) raise('routine');
  if ((rating ?? 0) >= 7) raise('routine');
  if ((rating ?? 0) >= 9) raise('urgent');
  // A worsening trend alone never raises the level to `emergency`.
  if (isWorsening) {
    if ((level as Level) === 'self_care') raise('routine');
    else if ((days === null || days <= slowDays) && !isSlow) raise('urgent');
  }
  return { level, named, redFlags: flags };
}

export const higherOf = (one: Level, other: Level): Level =>
  levels.indexOf(other) > levels.indexOf(one) ? other : one;

const signsOf = (conditions: readonly Condition[]): ReadonlySet<string> =>
  new Set(conditions.flatMap(one => Object.keys(one.symptoms)));

/** Whether a sign is there that names the condition: one with the highest weights. */
function isNamedBySigns(condition: Condition, { present, person }: TriageSigns): boolean {
  const naming = Object.entries(condition.symptoms).filter(([, weight]) => weight >= namingWeight);
  return naming.some(([id]) => present.has(id)) && canHave(condition, { present, person });
}
