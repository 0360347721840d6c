import type { ReportedTrend } from '../../../schema/health/assessment.ts';
import { type AdviceFacts, buildAdvice, disclaimer } from './advice.ts';
import { knowledge } from './knowledge.ts';
import { type Condition, type Level, levels, type Source, type Urgency, urgencies } from './knowledge-schema.ts';
import { matchTexts, type TextFindings, tokenizeText } from './matcher.ts';
import { parseDurationDays } from './quantities.ts';
import type { SymptomReport } from './symptom-report.ts';

export interface PossibleCause {
  rank: number;
  condition: string;
  description: string;
  likelihood: 'High' | 'Moderate' | 'Low';
  urgency: Urgency;
  nextSteps: string;
  sources: CauseSource[];
}

/** Public guidance, or an article of this installation; `url` is null for an article without a source URL. */
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
  /** Symptom ids, for matching people and for statistics. */
  terms: string[];
  /** Input texts that do not only deny symptoms. */
  reported: string[];
  /** Article tags of each cause, in the order of the causes. */
  tags: string[][];
}

const maxCauses = 5;
/** Minimum score of a possible cause. */
const minScore = 0.12;
const likelihoodBands = [
  ['High', 0.45],
  ['Moderate', 0.2],
  ['Low', 0],
] as const;
/** Share of a condition's symptom weights from which its urgency raises the triage level. */
const minConditionMatch = 0.5;
const longDurationDays = 30;
const severities: Record<Level, number> = { emergency: 9, urgent: 7, routine: 4, self_care: 2 };
const levelOfUrgency: Record<Urgency, Level> = { high: 'urgent', medium: 'routine', low: 'self_care' };
const urgencyOfLevel: Record<Level, Urgency> = {
  emergency: 'high',
  urgent: 'high',
  routine: 'medium',
  self_care: 'low',
};

/**
 * Evaluates a symptom report by rules and data only: equal input gives equal results. Red flags decide first; other
 * facts can raise the level and none can lower it.
 */
export function evaluate(report: SymptomReport): Evaluation {
  const symptomFindings = matchTexts(report.symptoms);
  // Notes are prose: unrecognized words in them do not count as unmatched symptoms.
  const findings = matchTexts([...report.symptoms, report.notes]);
  const days = report.duration === null ? null : parseDurationDays(report.duration, tokenizeText(report.duration));
  const causes = causesOf(findings, symptomFindings.unmatched, report);
  const level = triageLevelOf(findings, symptomFindings.unmatched, days, report);
  const emergency = level === 'emergency';
  const about: AdviceFacts = {
    report,
    level,
    days,
    crisis: findings.crisis,
    flagged: findings.redFlags.length > 0,
    recognised: findings.present.size > 0,
    unmatched: symptomFindings.unmatched,
  };
  return {
    result: {
      possibleCauses: causes.map(({ cause }) => cause),
      generalAdvice: buildAdvice(about),
      seekEmergencyCare: emergency,
      triageLevel: level,
      redFlags: findings.redFlags.map(one => one.label),
      disclaimer,
      engine: 'rules',
    },
    severity: report.severity ?? severityOf(level, report.trend),
    urgency: emergency ? 'high' : (causes[0]?.cause.urgency ?? urgencyOfLevel[level]),
    terms: symptomsIn(symptomFindings).sort(),
    reported: report.symptoms.filter(isAffirmed),
    tags: causes.map(({ tags }) => tags),
  };
}

const maxOf = <T>(order: readonly T[], a: T, b: T): T => (order.indexOf(a) >= order.indexOf(b) ? a : b);

function triageLevelOf(findings: TextFindings, unmatched: number, days: number | null, report: SymptomReport): Level {
  const { symptoms, conditions } = knowledge();
  let level: Level = 'self_care';
  const raise = (to: Level): void => {
    level = maxOf(levels, level, to);
  };
  for (const { level: flagged } of findings.redFlags) raise(flagged);
  for (const id of findings.present) {
    const symptom = symptoms.get(id);
    if (symptom && symptom.kind !== 'context') raise(symptom.level);
  }
  // By share, not by rank: an additional symptom would otherwise displace another condition.
  for (const one of conditions)
    if (matchedShare(one, findings) >= minConditionMatch) raise(levelOfUrgency[one.urgency]);
  // Unrecognized symptoms may be anything.
  if (unmatched > 0 || symptomsIn(findings).length === 0) raise('routine');
  if (findings.present.has('baby') || findings.present.has('pregnant')) raise('routine');
  if (days !== null && days > longDurationDays) raise('routine');
  if ((report.severity ?? 0) >= 7) raise('routine');
  if ((report.severity ?? 0) >= 9) raise('urgent');
  // A worsening trend alone never raises the level to `emergency`.
  if (report.trend === 'getting worse' && (level as Level) !== 'emergency')
    raise(level === 'self_care' ? 'routine' : 'urgent');
  return level;
}

function isAffirmed(text: string): boolean {
  const { present, negated } = matchTexts([text]);
  return present.size > 0 || negated.size === 0;
}

/** Present symptoms, without facts about the person. */
function symptomsIn({ present }: TextFindings): string[] {
  return [...present].filter(id => knowledge().symptoms.get(id)?.kind !== 'context');
}

/** Share of a condition's symptom weights that is present, 0 to 1. */
function matchedShare({ symptoms }: Condition, { present }: TextFindings): number {
  let [there, all] = [0, 0];
  for (const [id, weight] of Object.entries(symptoms)) {
    all += weight;
    if (present.has(id)) there += weight;
  }
  return there / all;
}

function causesOf(
  findings: TextFindings,
  unmatched: number,
  report: SymptomReport,
): { cause: PossibleCause; tags: string[] }[] {
  const symptoms = symptomsIn(findings);
  const scored = knowledge()
    .conditions.map(one => {
      const explained = symptoms.filter(id => one.symptoms[id] !== undefined).length;
      const score = explained === 0 ? 0 : (matchedShare(one, findings) * explained) / (symptoms.length + unmatched);
      return { one, score };
    })
    .filter(({ score }) => score >= minScore)
    .sort(
      (a, b) =>
        b.score - a.score ||
        urgencies.indexOf(b.one.urgency) - urgencies.indexOf(a.one.urgency) ||
        (a.one.id < b.one.id ? -1 : 1),
    )
    .slice(0, maxCauses);
  return scored.map(({ one, score }, index) => ({
    tags: one.tags,
    cause: {
      rank: index + 1,
      condition: one.name,
      description: one.description,
      likelihood: likelihoodOf(score, report.hasOtherSymptoms === true),
      urgency: report.trend === 'getting worse' ? raiseUrgency(one.urgency) : one.urgency,
      nextSteps: one.nextSteps,
      sources: [{ article: null, ...(one.source satisfies Source) }],
    },
  }));
}

/** A word, not a percentage, which would claim measured accuracy. Unnamed further symptoms lower it by one step. */
function likelihoodOf(score: number, others: boolean): PossibleCause['likelihood'] {
  const band = likelihoodBands.findIndex(([, least]) => score >= least);
  return likelihoodBands[Math.min(likelihoodBands.length - 1, others ? band + 1 : band)]?.[0] ?? 'Low';
}

const raiseUrgency = (urgency: Urgency): Urgency => urgencies[urgencies.indexOf(urgency) + 1] ?? 'high';

function severityOf(level: Level, trend: ReportedTrend | null): number {
  const change = trend === 'getting worse' ? 1 : trend === 'getting better' ? -1 : 0;
  return severities[level] + change;
}
