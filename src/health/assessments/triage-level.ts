import type { AcuityScores } from './acuity-model.ts';
import { canHave, matchedShare } from './causes.ts';
import { knowledge } from './knowledge.ts';
import { type Condition, type Level, levels, type RedFlag, type Urgency } from './knowledge-schema.ts';
import { raisedFlags, type Signs } from './red-flags.ts';

/** What the triage level is decided from. */
export interface TriageSigns extends Signs {
  /** Present symptoms that only frames tell. */
  framed: ReadonlySet<string>;
  /** Number of texts that were not recognized. */
  unmatched: number;
  /** Number of those that have a word that can tell a complaint. */
  unclear: number;
  /** Number of all texts. */
  texts: number;
  /** 1 to 10 as rated by the person. */
  rating: number | null;
  /** What the model says of the whole report; null when it cannot judge it. */
  acuity: AcuityScores | null;
}

export interface TriageDecision {
  level: Level;
  /** The red flags that it rests on, emergencies first. */
  redFlags: RedFlag[];
  /**
   * Why it is lower than its source asks for: the whole report, the long duration of a single source, or a sign that only a
   * frame reads against the whole report.
   */
  loweredBy: 'whole' | 'duration' | 'reading' | null;
}

/** Share of a condition's symptom weights from which its urgency raises the triage level. */
const minConditionMatch = 0.5;
/** Weight of signs that name a condition. */
const namingWeight = 5;
const longDurationDays = 30;
/** What gets worse over this many days does so slowly: an appointment is soon enough. */
const slowDays = 60;
/** An appointment is advised for a lower probability that it is needed only where something firm asks for it. */
const minRoutine = 0.2;
/** Probabilities that the level is needed below which a single source is lowered: one of long duration, and one that a frame reads. */
const maxNeed = { duration: 0.3, reading: 0.1 } as const;
const levelOfUrgency: Record<Urgency, Level> = { high: 'urgent', medium: 'routine', low: 'self_care' };

export const triageLevelOf = (signs: TriageSigns): Level => decideTriage(signs).level;

/**
 * Red flags decide first; every other sign can raise the level. Two things take back what is not urgent by itself, so that one
 * more sign can lower an appointment to self-care, and nothing else: a harmless condition that a sign names explains its other
 * signs, and a slow one explains a long duration and a slow change for the worse, where it explains all signs.
 *
 * The model of the whole report (`acuity-model.ts`) takes back an appointment that only signs, conditions or texts that were not
 * recognized ask for: on vignettes that neither a rule nor the model was made with, 35 of 50 such appointments were more than needed, and 4 were needed.
 */
export function decideTriage(signs: TriageSigns): TriageDecision {
  const { symptoms, conditions, redFlags } = knowledge();
  const { present, person, days, isWorsening, unmatched, unclear, texts, rating, acuity } = signs;
  let level: Level = 'self_care';
  /** Whether something asks for an appointment that the model cannot take back. */
  let isFirm = false;
  const raise = (to: Level, firmly = true): void => {
    if (levels.indexOf(to) > levels.indexOf(level)) level = to;
    if (to !== 'self_care') isFirm ||= firmly;
  };
  const flags = raisedFlags(redFlags, signs);
  for (const { level: flagged } of flags) raise(flagged);
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
    if (symptom.level !== 'routine' || !explained.has(id)) raise(symptom.level, symptom.kind === 'crisis');
  }
  // By share, not by rank: an additional symptom would otherwise displace another condition.
  for (const one of conditions) {
    if (matchedShare(one, present) >= minConditionMatch && canHave(one, { present, person }))
      raise(levelOfUrgency[one.urgency], false);
  }
  // Unrecognized symptoms may be anything, unless a harmless condition is recognized and they only describe it.
  const isDescribed = harmless.length > 0 && unclear === 0 && unmatched * 3 <= texts * 2;
  if ((unmatched > 0 && !isDescribed) || recognized === 0) raise('routine', false);
  if (present.has('young-baby') && (harmless.length === 0 || unmatched > 0)) raise('routine');
  if (days !== null && days > longDurationDays && !isSlow) raise('routine');
  if ((rating ?? 0) >= 7) raise('routine');
  if ((rating ?? 0) >= 9) raise('urgent');
  // A worsening trend alone never raises the level to `emergency`.
  if (isWorsening) {
    if ((level as Level) === 'self_care') raise('routine');
    else if ((days === null || days <= slowDays) && !isSlow) raise('urgent');
  }
  if ((level as Level) === 'routine' && !isFirm && acuity && acuity.routine < minRoutine)
    return { level: 'self_care', redFlags: flags, loweredBy: 'whole' };
  const loweredBy = whyOneLower(level, flags, signs);
  if (loweredBy === null) return { level, redFlags: flags, loweredBy };
  if ((level as Level) === 'emergency') return { level: 'urgent', redFlags: flags, loweredBy };
  // A sign that was misread asks for no appointment either.
  const isHarmless = loweredBy === 'reading' && acuity !== null && acuity.routine < minRoutine;
  return { level: isHarmless ? 'self_care' : 'routine', redFlags: [], loweredBy };
}

/**
 * Why a level that rests on one red flag, or on none, is one lower, where the model of the whole report agrees:
 * - `duration`: what threatens at once does not last for more than 30 days (60 where it gets worse);
 * - `reading`: only frames tell its signs. They know classes of words and not their meaning.
 * Of such levels on 539 vignettes that neither a rule nor the model was made with, 10 of 15 and 9 of 10 were too high; none was needed.
 */
function whyOneLower(level: Level, flags: readonly RedFlag[], signs: TriageSigns): 'duration' | 'reading' | null {
  const { days, isWorsening, rating, acuity, present } = signs;
  if ((level !== 'emergency' && level !== 'urgent') || !acuity || (rating ?? 0) >= 7) return null;
  if (flags.length > 1 || flags.some(({ who }) => who)) return null;
  if ([...present].some(id => knowledge().symptoms.get(id)?.kind === 'crisis')) return null;
  const isLong = days !== null && days > (isWorsening ? slowDays : longDurationDays);
  const isBound = flags.some(({ unless, lasting }) => unless ?? lasting);
  if (isLong && !isBound && acuity[level] < maxNeed.duration) return 'duration';
  const isUrgentByTrend = level === 'urgent' && isWorsening;
  return !isUrgentByTrend && acuity[level] < maxNeed.reading && isReadByFrames(signs) ? 'reading' : null;
}

/** Whether frames alone tell every urgent sign, and no red flag is raised without them. */
function isReadByFrames(signs: TriageSigns): boolean {
  const { symptoms, redFlags } = knowledge();
  const urgent = [...signs.present].filter(id => symptoms.get(id)?.level === 'urgent');
  if (urgent.length === 0 || urgent.some(id => !signs.framed.has(id))) return false;
  const present = new Set([...signs.present].filter(id => !signs.framed.has(id)));
  return raisedFlags(redFlags, { ...signs, present }).length === 0;
}

const signsOf = (conditions: readonly Condition[]): ReadonlySet<string> =>
  new Set(conditions.flatMap(one => Object.keys(one.symptoms)));

/** Whether a sign is there that names the condition: one with the highest weights. */
function isNamedBySigns(condition: Condition, { present, person }: TriageSigns): boolean {
  const naming = Object.entries(condition.symptoms).filter(([, weight]) => weight >= namingWeight);
  return naming.some(([id]) => present.has(id)) && canHave(condition, { present, person });
}
