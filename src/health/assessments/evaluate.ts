import { type Advice, adviceOf, disclaimer } from './advice.ts';
import { type Condition, knowledge, type Level, levels, type Source, type Urgency, urgencies } from './knowledge.ts';
import { type Reading, readTexts, wordsOfText } from './matcher.ts';
import { daysOf } from './quantities.ts';
import type { Told, Trend } from './told.ts';

export interface PossibleCause {
  rank: number;
  condition: string;
  description: string;
  likelihood: 'High' | 'Moderate' | 'Low';
  urgency: Urgency;
  nextSteps: string;
  sources: CauseSource[];
}

/** Public guidance, or an article of ours; `url` is null for an article that has no address but ours. */
export interface CauseSource {
  article: number | null;
  title: string;
  url: string | null;
}

export interface AssessmentResult {
  possibleCauses: PossibleCause[];
  generalAdvice: string;
  seekEmergencyCare: boolean;
  triageLevel: Level;
  redFlags: string[];
  disclaimer: string;
  engine: 'rules' | 'model';
}

export interface Evaluation {
  result: AssessmentResult;
  severity: number;
  urgency: Urgency;
  /** Symptoms by their ids, for whoever compares people or counts days. */
  terms: string[];
  /** Of each cause, in order, the tags that articles about it are filed under. */
  tags: string[][];
}

const mostCauses = 5;
/** Scores below it are no cause but a coincidence. */
const floor = 0.12;
const bands = [
  ['High', 0.45],
  ['Moderate', 0.2],
  ['Low', 0],
] as const;
/** A condition whose symptoms are there to this part, by weight, counts for the level. */
const fits = 0.5;
const longDays = 30;
const severities: Record<Level, number> = { emergency: 9, urgent: 7, routine: 4, self_care: 2 };
const levelOfUrgency: Record<Urgency, Level> = { high: 'urgent', medium: 'routine', low: 'self_care' };
const urgencyOfLevel: Record<Level, Urgency> = {
  emergency: 'high',
  urgent: 'high',
  routine: 'medium',
  self_care: 'low',
};

/**
 * Assesses what somebody told, by rules and data alone: the same words give the same result. Red flags decide first; everything
 * else can raise the level and nothing can lower it, neither one more symptom nor a longer duration or a worse trend.
 */
export function evaluate(told: Told): Evaluation {
  const reading = readTexts(told.symptoms);
  // Notes are prose: what is not recognised in them takes nothing away from what is in the list.
  const all = readTexts([...told.symptoms, told.notes]);
  const days = told.duration === null ? null : daysOf(told.duration, wordsOfText(told.duration));
  const causes = causesOf(all, reading.unmatched, told);
  const level = levelOf(all, reading.unmatched, days, told);
  const emergency = level === 'emergency';
  const about: Advice = {
    told,
    level,
    days,
    crisis: all.crisis,
    flagged: all.redFlags.length > 0,
    recognised: all.present.size > 0,
    unmatched: reading.unmatched,
  };
  return {
    result: {
      possibleCauses: causes.map(({ cause }) => cause),
      generalAdvice: adviceOf(about),
      seekEmergencyCare: emergency,
      triageLevel: level,
      redFlags: all.redFlags.map(one => one.label),
      disclaimer,
      engine: 'rules',
    },
    severity: told.severity ?? severityOf(level, told.trend),
    urgency: emergency ? 'high' : (causes[0]?.cause.urgency ?? urgencyOfLevel[level]),
    terms: symptomsIn(reading).sort(),
    tags: causes.map(({ tags }) => tags),
  };
}

const higher = <T>(order: readonly T[], a: T, b: T): T => (order.indexOf(a) >= order.indexOf(b) ? a : b);

function levelOf(all: Reading, unmatched: number, days: number | null, told: Told): Level {
  const { symptoms, conditions } = knowledge();
  let level: Level = 'self_care';
  const raise = (to: Level): void => {
    level = higher(levels, level, to);
  };
  for (const { level: flagged } of all.redFlags) raise(flagged);
  for (const id of all.present) {
    const symptom = symptoms.get(id);
    if (symptom && symptom.kind !== 'context') raise(symptom.level);
  }
  // By the part of the condition that is there, and not by rank: one more symptom would push another condition down.
  for (const one of conditions) if (partOf(one, all) >= fits) raise(levelOfUrgency[one.urgency]);
  // What is not understood may be anything.
  if (unmatched > 0 || symptomsIn(all).length === 0) raise('routine');
  if (all.present.has('baby') || all.present.has('pregnant')) raise('routine');
  if (days !== null && days > longDays) raise('routine');
  if ((told.severity ?? 0) >= 7) raise('routine');
  if ((told.severity ?? 0) >= 9) raise('urgent');
  // An ambulance is called for a sign that says so, not for a cold that gets worse.
  if (told.trend === 'getting worse' && (level as Level) !== 'emergency')
    raise(level === 'self_care' ? 'routine' : 'urgent');
  return level;
}

/** The symptoms among what is there, facts about the person left out. */
function symptomsIn({ present }: Reading): string[] {
  return [...present].filter(id => knowledge().symptoms.get(id)?.kind !== 'context');
}

/** How much of a condition is there, 0 to 1. */
function partOf({ symptoms }: Condition, { present }: Reading): number {
  let [there, all] = [0, 0];
  for (const [id, weight] of Object.entries(symptoms)) {
    all += weight;
    if (present.has(id)) there += weight;
  }
  return there / all;
}

function causesOf(all: Reading, unmatched: number, told: Told): { cause: PossibleCause; tags: string[] }[] {
  const symptoms = symptomsIn(all);
  const scored = knowledge()
    .conditions.map(one => {
      const explained = symptoms.filter(id => one.symptoms[id] !== undefined).length;
      const score = explained === 0 ? 0 : (partOf(one, all) * explained) / (symptoms.length + unmatched);
      return { one, score };
    })
    .filter(({ score }) => score >= floor)
    .sort(
      (a, b) =>
        b.score - a.score ||
        urgencies.indexOf(b.one.urgency) - urgencies.indexOf(a.one.urgency) ||
        (a.one.id < b.one.id ? -1 : 1),
    )
    .slice(0, mostCauses);
  return scored.map(({ one, score }, index) => ({
    tags: one.tags,
    cause: {
      rank: index + 1,
      condition: one.name,
      description: one.description,
      likelihood: likelihoodOf(score, told.hasOtherSymptoms === true),
      urgency: told.trend === 'getting worse' ? raised(one.urgency) : one.urgency,
      nextSteps: one.nextSteps,
      sources: [{ article: null, ...(one.source satisfies Source) }],
    },
  }));
}

/** In words: a percentage would promise what nobody has measured. Symptoms that were not named make everything less sure. */
function likelihoodOf(score: number, others: boolean): PossibleCause['likelihood'] {
  const band = bands.findIndex(([, least]) => score >= least);
  return bands[Math.min(bands.length - 1, others ? band + 1 : band)]?.[0] ?? 'Low';
}

const raised = (urgency: Urgency): Urgency => urgencies[urgencies.indexOf(urgency) + 1] ?? 'high';

function severityOf(level: Level, trend: Trend | null): number {
  const change = trend === 'getting worse' ? 1 : trend === 'getting better' ? -1 : 0;
  return severities[level] + change;
}
