import { type Finding, isMedicalAlarm, nothingFound } from 'triage';
import { knowledge } from 'triage/knowledge/knowledge';
import { type Level, type Urgency, urgencies } from 'triage/knowledge/knowledge-schema';
import { addImplied, labelOf, matchTexts, TextReadings, tokenizeText } from 'triage/knowledge/matcher';
import {
  completeFacts,
  contradictedIds,
  describeFacts,
  factIds,
  type PersonFacts,
} from 'triage/knowledge/person-facts';
import { parseDurationDays } from 'triage/knowledge/quantities';
import type { TaggedSubject } from '../articles/articles-by-tags.queries.ts';
import { adviceIn, triageLevelOf } from '../safety/safety-notice.ts';
import { type AdviceFacts, buildAdvice } from './advice.ts';
import { agree } from './agreement.ts';
import { type AnswerMode, answerModes } from './answer-mode.ts';
import { likelihoodOf, type RankedCause, rankCauses } from './causes.ts';
import { isInAnotherLanguage } from './foreign-text.ts';
import { type InterviewQuestion, interview } from './interview.ts';
import { withAnsweredFacts } from './interview-answers.ts';
import type { SymptomReport } from './symptom-report.ts';
import { decideTriage, higherOf, type TriageDecision, type TriageSigns } from './triage-level.ts';

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
  /** Symptom ids, for matching people and for statistics. */
  terms: string[];
  /** Input texts that do not only deny symptoms. */
  reported: string[];
  /** What articles about each cause are looked up by, in the order of the causes. */
  subjects: TaggedSubject[];
  /** What articles are looked up by where no causes are ranked; null where causes are, and beside an alarm. */
  searched: string | null;
}

/**
 * Evaluates a symptom report by rules and data: equal input gives equal results. Red flags decide first; other
 * symptoms can raise the level, and `triage-level.ts` says what can lower it. All parts of the result agree (`agreement.ts`).
 *
 * @param finding what the engine of all doors finds in the same texts: the level is never below it. The rules and causes are in English;
 *   of texts in another language only the finding counts, and an appointment is advised where there is none.
 * @param mode what of this is told
 */
export function evaluate(
  told: SymptomReport,
  finding: Finding = nothingFound,
  mode: AnswerMode = answerModes.triage,
): Evaluation {
  const report = withAnsweredFacts(told);
  const readings = new TextReadings();
  const symptomFindings = matchTexts(report.symptoms, readings);
  // Notes are prose: unrecognized words in them do not count as unmatched symptoms.
  const findings = matchTexts([...report.symptoms, report.notes], readings);
  const person = completeFacts(report.person, findings.stated);
  const present = presentOf(findings.present, person);
  const days = report.duration === null ? null : parseDurationDays(report.duration, tokenizeText(report.duration));
  const signs: TriageSigns = {
    present,
    person,
    days,
    isWorsening: report.trend === 'getting worse',
    unmatched: symptomFindings.unmatched,
    unclear: symptomFindings.unclear,
    texts: report.symptoms.length,
    rating: report.severity,
  };
  const decided = decideTriage(signs);
  const isForeign = isInAnotherLanguage([...report.symptoms, report.notes].join(' '), finding);
  const heard = triageLevelOf(finding);
  // Of complaints that can wait the rules of the report know more than its words alone.
  const alarm = isMedicalAlarm(heard) ? heard : 'self_care';
  const level = mode.levelOf({
    level: higherOf(isForeign ? (heard ?? 'routine') : decided.level, alarm),
    named: isForeign ? alarm : higherOf(decided.named, alarm),
  });
  const redFlags = isForeign ? [] : decided.redFlags;
  const ranked =
    isForeign || !mode.ranksCauses
      ? []
      : rankCauses({ present, symptoms: symptomsIn(present), person, unmatched: signs.unmatched }, level);
  const { severity, urgency, causes } = agree(
    level,
    ranked.map((one, index) => describeCause(one, index + 1, report)),
    report.severity,
    report.trend,
  );
  const about: AdviceFacts = {
    report,
    isOther: report.subject === 'someone_else' || finding.whose === 'other',
    level,
    days,
    crisis: [
      ...(isForeign ? [] : findings.crisis),
      ...finding.signs.flatMap(({ kind }) => (kind === 'medical' ? [] : [kind])),
    ],
    flagged: redFlags.length > 0 || finding.signs.length > 0,
    recognised: isForeign ? finding.signs.length > 0 : findings.present.size > 0 || finding.signs.length > 0,
    unmatched: signs.unmatched,
    unalarmed: mode.unalarmed,
  };
  return {
    result: {
      possibleCauses: causes,
      generalAdvice: [isForeign ? adviceIn(finding) : '', buildAdvice(about)].filter(Boolean).join(' '),
      seekEmergencyCare: level === 'emergency',
      triageLevel: level,
      redFlags: redFlagsOf(redFlags, finding),
      personFacts: personFactsOf(present, person),
      interview: isForeign ? [] : interview(signs, findings.negated, one => mode.levelOf(decideTriage(one))),
      disclaimer: mode.disclaimer,
      engine: 'rules',
    },
    severity,
    urgency,
    terms: isForeign ? [] : symptomsIn(symptomFindings.present).sort(),
    reported: finding.level === 'crisis' ? [] : report.symptoms.filter(text => isAffirmed(text, readings)),
    subjects: ranked.map(({ condition: { aliases, name, tags } }) => ({
      tags,
      names: [name, ...aliases].filter(one => one.length >= minNameLength),
    })),
    searched: mode.ranksCauses || isMedicalAlarm(level) ? null : report.symptoms.join(', '),
  };
}

/** Shorter names of conditions are abbreviations, which are words of other things. */
const minNameLength = 4;

/** The labels of rules and signs; signs of a crisis are no medical ones. */
const redFlagsOf = (flags: TriageDecision['redFlags'], { level, signs }: Finding): string[] => {
  // The engine reads the same rules, and words their signs in its own way.
  if (flags.length > 0 || !(level === 'crisis' || isMedicalAlarm(level)))
    return [...new Set(flags.map(({ label }) => label))];
  return signs.flatMap(({ kind, label }) => (kind === 'medical' ? [label] : []));
};

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

function isAffirmed(text: string, readings: TextReadings): boolean {
  const { present, negated } = matchTexts([text], readings);
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
    // A publisher is named where its page was read.
    sources:
      condition.source.read === undefined
        ? []
        : [{ article: null, title: condition.source.title, url: condition.source.url }],
  };
}

const raiseUrgency = (urgency: Urgency): Urgency => urgencies[urgencies.indexOf(urgency) + 1] ?? 'high';
