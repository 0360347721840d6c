import { acuityFeatures } from './acuity-features.ts';
import { acuityOf } from './acuity-model.ts';
import { type AdviceFacts, buildAdvice, disclaimer } from './advice.ts';
import { agree } from './agreement.ts';
import { likelihoodOf, type RankedCause, rankCauses } from './causes.ts';
import { type InterviewQuestion, interview } from './interview.ts';
import { knowledge } from './knowledge.ts';
import { type Level, type Urgency, urgencies } from './knowledge-schema.ts';
import { addImplied, labelOf, matchTexts, tokenizeText } from './matcher.ts';
import { completeFacts, contradictedIds, describeFacts, factIds, type PersonFacts } from './person-facts.ts';
import { parseDurationDays } from './quantities.ts';
import type { SymptomReport } from './symptom-report.ts';
import { decideTriage, type TriageDecision, type TriageSigns } from './triage-level.ts';

export interface PossibleCause {
  rank: number;
  condition: string;
  description: string;
  likelihood: 'High' | 'Moderate' | 'Low';
  urgency: Urgency;
  nextSteps: string;
  /** Symptoms and facts for which it is listed. */
  reasons: string[];
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
  /** Facts about the person that were used. */
  personFacts: string[];
  interview: InterviewQuestion[];
  disclaimer: string;
  engine: 'rules' | 'model';
}

export interface Evaluation {
  result: AssessmentResult;
  severity: number;
  urgency: Urgency;
  /** Why the level is lower than the rules alone say. */
  loweredBy: TriageDecision['loweredBy'];
  /** Symptom ids, for matching people and for statistics. */
  terms: string[];
  /** Input texts that do not only deny symptoms. */
  reported: string[];
  /** Article tags of each cause, in the order of the causes. */
  tags: string[][];
}

/**
 * Evaluates a symptom report by rules, data and fixed weights: equal input gives equal results. Red flags decide first; other
 * symptoms can raise the level, and `triage-level.ts` says what can lower it. All parts of the result agree (`agreement.ts`).
 */
export function evaluate(report: SymptomReport): Evaluation {
  const symptomFindings = matchTexts(report.symptoms);
  // Notes are prose: unrecognized words in them do not count as unmatched symptoms.
  const findings = matchTexts([...report.symptoms, report.notes]);
  const person = completeFacts(report.person, findings.stated);
  const present = presentOf(findings.present, person);
  const days = report.duration === null ? null : parseDurationDays(report.duration, tokenizeText(report.duration));
  const signs: TriageSigns = {
    present,
    framed: findings.framed,
    person,
    days,
    isWorsening: report.trend === 'getting worse',
    unmatched: symptomFindings.unmatched,
    unclear: symptomFindings.unclear,
    texts: report.symptoms.length,
    rating: report.severity,
    acuity: acuityOf(acuityFeatures({ ...report, person, days })),
  };
  const { level, redFlags, loweredBy } = decideTriage(signs);
  const ranked = rankCauses({ present, symptoms: symptomsIn(present), person, unmatched: signs.unmatched }, level);
  const { severity, urgency, causes } = agree(
    level,
    ranked.map((one, index) => describeCause(one, index + 1, report)),
    report.severity,
    report.trend,
  );
  const about: AdviceFacts = {
    report,
    level,
    loweredBy,
    days,
    crisis: findings.crisis,
    flagged: redFlags.length > 0,
    recognised: findings.present.size > 0,
    unmatched: signs.unmatched,
  };
  return {
    result: {
      possibleCauses: causes,
      generalAdvice: buildAdvice(about),
      seekEmergencyCare: level === 'emergency',
      triageLevel: level,
      redFlags: [...new Set(redFlags.map(one => one.label))],
      personFacts: personFactsOf(present, person),
      interview: interview(signs, findings.negated),
      disclaimer,
      engine: 'rules',
    },
    severity,
    urgency,
    loweredBy,
    terms: symptomsIn(symptomFindings.present).sort(),
    reported: report.symptoms.filter(isAffirmed),
    tags: ranked.map(({ condition }) => condition.tags),
  };
}

/** What is present by the texts and by the facts about the person, where the facts win. */
function presentOf(told: ReadonlySet<string>, person: PersonFacts): Set<string> {
  const present = new Set(told);
  for (const id of factIds(person)) present.add(id);
  // Conditions and medicines tell facts and circumstances («a first gym session»), and no present symptoms: «stroke in 2019».
  for (const id of matchTexts([...person.conditions, ...person.medicines]).present) {
    const kind = knowledge().symptoms.get(id)?.kind;
    if (kind === 'context' || kind === 'circumstance') present.add(id);
  }
  addImplied(present, knowledge());
  for (const id of contradictedIds(person)) present.delete(id);
  return present;
}

function isAffirmed(text: string): boolean {
  const { present, negated } = matchTexts([text]);
  return present.size > 0 || negated.size === 0;
}

/** Present symptoms, without facts about the person and circumstances. */
function symptomsIn(present: ReadonlySet<string>): string[] {
  return [...present].filter(id => {
    const kind = knowledge().symptoms.get(id)?.kind;
    return kind !== 'context' && kind !== 'circumstance';
  });
}

function personFactsOf(present: ReadonlySet<string>, person: PersonFacts): string[] {
  const told = new Set(['young-baby', 'baby', 'child', 'pregnant']);
  const history = [...present].filter(id => !told.has(id) && knowledge().symptoms.get(id)?.kind === 'context');
  return [...describeFacts(person), ...history.map(labelOf)];
}

function describeCause({ condition, score, reasons }: RankedCause, rank: number, report: SymptomReport): PossibleCause {
  return {
    rank,
    condition: condition.name,
    description: condition.description,
    likelihood: likelihoodOf(score, report.hasOtherSymptoms === true),
    urgency: report.trend === 'getting worse' ? raiseUrgency(condition.urgency) : condition.urgency,
    nextSteps: condition.nextSteps,
    reasons,
    sources: [{ article: null, title: condition.source.title, url: condition.source.url }],
  };
}

const raiseUrgency = (urgency: Urgency): Urgency => urgencies[urgencies.indexOf(urgency) + 1] ?? 'high';
