import { canHave, matchedShare } from './causes.ts';
import { knowledge } from './knowledge.ts';
import { type Level, levels, type Urgency } from './knowledge-schema.ts';
import { raisedFlags, type Signs } from './red-flags.ts';

/** What the triage level is decided from. */
export interface TriageSigns extends Signs {
  /** Number of texts that were not recognized. */
  unmatched: number;
  /** 1 to 10 as rated by the person. */
  rating: number | null;
}

/** Share of a condition's symptom weights from which its urgency raises the triage level. */
const minConditionMatch = 0.5;
const longDurationDays = 30;
/** What gets worse over this many days does so slowly: an appointment is soon enough. */
const slowDays = 60;
const levelOfUrgency: Record<Urgency, Level> = { high: 'urgent', medium: 'routine', low: 'self_care' };

/** Red flags decide first; every other sign can raise the level and none can lower it. */
export function triageLevelOf(signs: TriageSigns): Level {
  const { symptoms, conditions, redFlags } = knowledge();
  const { present, person, days, isWorsening, unmatched, rating } = signs;
  let level: Level = 'self_care';
  const raise = (to: Level): void => {
    if (levels.indexOf(to) > levels.indexOf(level)) level = to;
  };
  for (const { level: flagged } of raisedFlags(redFlags, signs)) raise(flagged);
  let recognized = 0;
  for (const id of present) {
    const symptom = symptoms.get(id);
    if (!symptom || symptom.kind === 'context' || symptom.kind === 'circumstance') continue;
    recognized++;
    raise(symptom.level);
  }
  // By share, not by rank: an additional symptom would otherwise displace another condition.
  for (const one of conditions) {
    if (matchedShare(one, present) >= minConditionMatch && canHave(one, { present, person }))
      raise(levelOfUrgency[one.urgency]);
  }
  // Unrecognized symptoms may be anything.
  if (unmatched > 0 || recognized === 0) raise('routine');
  if (present.has('young-baby')) raise('routine');
  if (days !== null && days > longDurationDays) raise('routine');
  if ((rating ?? 0) >= 7) raise('routine');
  if ((rating ?? 0) >= 9) raise('urgent');
  // A worsening trend alone never raises the level to `emergency`.
  if (isWorsening) {
    if ((level as Level) === 'self_care') raise('routine');
    else if (days === null || days <= slowDays) raise('urgent');
  }
  return level;
}
