import { knowledge } from 'triage/knowledge/knowledge';
import { type Condition, type Level, type Urgency, urgencies } from 'triage/knowledge/knowledge-schema';
import { describeFacts, matchWho, type PersonFacts, type Who } from 'triage/knowledge/person-facts';
import type { CauseLikelihood } from '../../../schema/health/assessment.ts';

/** A possible cause before it is put into words. */
export interface RankedCause {
  condition: Condition;
  score: number;
  /** Symptoms and facts for which it is listed, the weightiest first. */
  reasons: string[];
}

/** What causes are ranked by. */
export interface CauseSigns {
  present: ReadonlySet<string>;
  /** Present symptoms, without facts about the person. */
  symptoms: readonly string[];
  person: PersonFacts;
  /** Number of texts that were not recognized. */
  unmatched: number;
}

export const maxCauses = 5;
/** Minimum score of a possible cause. */
const minScore = 0.03;
/** A condition that the person is known to have is the more likely cause of what fits to it. */
const knownTimes = 1.6;
const withoutLeadingSign = 0.35;
const maxReasons = 8;

const likelihoodBands = [
  ['High', 0.45],
  ['Moderate', 0.2],
  ['Low', 0],
] as const;

/** Possible causes, the most likely first: those that fit to sex, age and pregnancy, by the share of matching symptoms. */
export function rankCauses(signs: CauseSigns, level: Level): RankedCause[] {
  const scored = knowledge()
    .conditions.filter(one => canHave(one, signs))
    .map(condition => ({ condition, score: scoreOf(condition, signs) * fitOf(condition.urgency, level) }))
    .filter(({ score }) => score >= minScore)
    .sort(
      (a, b) =>
        b.score - a.score ||
        urgencies.indexOf(b.condition.urgency) - urgencies.indexOf(a.condition.urgency) ||
        (a.condition.id < b.condition.id ? -1 : 1),
    );
  return scored.slice(0, maxCauses).map(one => ({ ...one, reasons: reasonsOf(one.condition, signs) }));
}

/** Excluded is only what cannot be: an unknown age or sex excludes nothing, an unknown pregnancy does. */
export function canHave(
  { who, needs }: Condition,
  { present, person }: Pick<CauseSigns, 'present' | 'person'>,
): boolean {
  if (!needs.every(group => group.some(id => present.has(id)))) return false;
  if (!who) return true;
  const match = matchWho(who, person);
  return match !== false && match !== 'pregnant';
}

/** Share of a condition's symptom weights that is present, 0 to 1. */
export function matchedShare({ symptoms }: Condition, present: ReadonlySet<string>): number {
  let [there, all] = [0, 0];
  for (const [id, weight] of Object.entries(symptoms)) {
    all += weight;
    if (present.has(id)) there += weight;
  }
  return there / all;
}

/**
 * The share of the condition's signs that are present times the share of the present symptoms that it explains. Symptoms
 * count by their rarity among the conditions: «smell loss» says more than «tired». The first share counts by its root,
 * because nobody names all signs of a condition.
 */
function scoreOf(condition: Condition, { present, symptoms, person, unmatched }: CauseSigns): number {
  const rarity = raritiesOf();
  let [explained, all] = [0, 0];
  for (const id of symptoms) {
    const weight = rarity.get(id) ?? 1;
    all += weight;
    if (condition.symptoms[id] !== undefined) explained += weight * Math.min(1, 0.4 + condition.symptoms[id] / 5);
  }
  if (explained === 0) return 0;
  const score = Math.sqrt(matchedShare(condition, present)) * (explained / (all + 0.5 * unmatched));
  return score * priorOf(condition, person) * (hasLeadingSign(condition, present) ? 1 : withoutLeadingSign);
}

/**
 * How well a condition goes with the level: a harmless one explains no emergency, and a dangerous one that fitted well would have
 * raised the level, so that none is listed beside the advice to look after oneself.
 */
const fits: Record<Level, Record<Urgency, number>> = {
  emergency: { low: 0.5, medium: 0.8, high: 1 },
  urgent: { low: 0.9, medium: 1, high: 1 },
  routine: { low: 1, medium: 1, high: 0.7 },
  self_care: { low: 1, medium: 0.9, high: 0 },
};
const fitOf = (urgency: Urgency, level: Level): number => fits[level][urgency];

function priorOf(condition: Condition, person: PersonFacts): number {
  let prior = isKnown(condition, person) ? knownTimes : 1;
  for (const { times, ...who } of condition.prior) if (matchWho(who as Who, person) === true) prior *= times;
  return prior;
}

/** A fit with fever is no cause of a fever alone: one of the signs with the highest weights must be there. */
function hasLeadingSign({ symptoms }: Condition, present: ReadonlySet<string>): boolean {
  const least = 0.6 * Object.values(symptoms).reduce((most, weight) => Math.max(most, weight), 0);
  return Object.entries(symptoms).some(([id, weight]) => weight >= least && present.has(id));
}

let rarities: Map<string, number> | undefined;

/** ln(1 + conditions / conditions with the symptom), 1 at the most common. */
function raritiesOf(): ReadonlyMap<string, number> {
  if (rarities) return rarities;
  const counts = new Map<string, number>();
  const { conditions } = knowledge();
  for (const { symptoms } of conditions)
    for (const id of Object.keys(symptoms)) counts.set(id, (counts.get(id) ?? 0) + 1);
  rarities = new Map([...counts].map(([id, count]) => [id, Math.log(1 + conditions.length / count) / 2]));
  return rarities;
}

function isKnown({ name, aliases }: Condition, { conditions }: PersonFacts): boolean {
  return conditions.some(told => {
    const text = ` ${plain(told)} `;
    return [name, ...aliases].some(one => text.includes(` ${plain(one)} `));
  });
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function reasonsOf(condition: Condition, { present, person }: CauseSigns): string[] {
  const { symptoms: known } = knowledge();
  const signs = Object.entries(condition.symptoms)
    .filter(([id]) => present.has(id))
    .sort(([, a], [, b]) => b - a)
    .map(([id]) => known.get(id)?.label ?? id);
  const ownCondition = isKnown(condition, person) ? ['a known condition'] : [];
  const about = [condition.who, ...condition.prior.filter(({ times }) => times > 1)].filter(one => one !== undefined);
  const facts = about.some(one => matchWho(one as Who, person) === true) ? describeFacts(person) : [];
  return [...new Set([...signs, ...ownCondition, ...facts])].slice(0, maxReasons);
}

/** A word, not a percentage, which would claim measured accuracy. Unnamed further symptoms lower it by one step. */
export function likelihoodOf(score: number, hasOthers: boolean): CauseLikelihood {
  const band = likelihoodBands.findIndex(([, least]) => score >= least);
  return likelihoodBands[Math.min(likelihoodBands.length - 1, hasOthers ? band + 1 : band)]?.[0] ?? 'Low';
}
