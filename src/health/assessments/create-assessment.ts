import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Finding } from 'triage';
import { matcherTable } from 'triage/knowledge/matcher';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { articlesByTags } from '../articles/articles-by-tags.queries.ts';
import { findPassages } from '../companion/retrieval/find-passages.ts';
import { findDangerIn } from '../safety/safety-notice.ts';
import { answerModeOf } from './answer-mode.ts';
import type { AssessmentRow } from './assessments.queries.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { withProfileFacts } from './profile-facts.ts';
import { type AssessmentInput, type ValidatedAssessment, validateAssessment } from './validate-assessment.ts';

type Dependencies = Pick<Context, 'now' | 'origin' | 'read'> & { config: Pick<Config, 'ASSESSMENTS' | 'SEED'> };

/** Articles that are named where no causes are. */
const maxArticles = 3;

/** A complete assessment that is not stored. */
export interface EvaluatedAssessment {
  row: AssessmentRow;
  evaluation: Evaluation;
  finding: Finding;
}

/**
 * Validates and evaluates an assessment. Reads articles, and the profile of a user who assesses themselves and tells of nobody else; writes nothing.
 * @throws field errors
 */
export async function assess(
  context: Dependencies,
  input: AssessmentInput,
  userId?: number,
): Promise<EvaluatedAssessment> {
  const checked = validateAssessment(input);
  const { report } = checked;
  const finding = await findDangerIn([...report.symptoms, report.notes]);
  if (userId !== undefined && report.subject === 'myself' && finding.whose === 'writer')
    report.person = await withProfileFacts(context, userId, report.person);
  await matcherTable.load();
  const evaluation = evaluate(report, finding, answerModeOf(context.config));
  const articles = await articlesByTags(context, evaluation.subjects);
  for (const [index, cause] of evaluation.result.possibleCauses.entries()) {
    for (const { id, headline, sourceUrl } of articles[index] ?? [])
      cause.sources.push({ article: id, title: headline, url: sourceUrl });
  }
  const { searched, result } = evaluation;
  if (searched !== null) result.generalAdvice += await articlesIn(context, searched, finding);
  return { row: buildRow(checked, evaluation, context.now()), evaluation, finding };
}

/** Names articles about symptoms, by addresses that do not depend on the origin of the request; empty where none matches. */
async function articlesIn(
  context: Dependencies,
  symptoms: string,
  { isLanguageRead, language }: Finding,
): Promise<string> {
  if (!isLanguageRead) return '';
  const passages = await findPassages(context, symptoms, language === 'en' ? undefined : (language ?? undefined));
  const named = new Map(passages.map(({ articleId, headline }) => [articleId, headline]));
  const titles = [...named].slice(0, maxArticles).map(([id, headline]) => `“${headline}” (/api/v1/articles/${id}/)`);
  return titles.length === 0 ? '' : ` Articles here: ${titles.join(', ')}.`;
}

function buildRow(
  { report, bloodType }: ValidatedAssessment,
  { result, severity }: Evaluation,
  now: Date,
): AssessmentRow {
  return {
    id: randomUUID(),
    subject: report.subject,
    bloodType,
    bloodTypeCode: bloodType,
    allergies: report.allergies,
    symptoms: [...report.symptoms],
    symptomText: report.symptoms.join(', '),
    symptomDuration: report.duration,
    hasOtherSymptoms: report.hasOtherSymptoms,
    symptomsTrend: report.trend,
    symptomsTrendText: report.trend,
    severity,
    additionalNotes: report.notes,
    status: 'completed',
    result,
    createdAt: now.toISOString(),
    isSaved: true,
  };
}

/** Evaluates and stores an assessment of the caller, in a single insert. */
export async function createAssessment(
  context: Dependencies & Pick<Context, 'actor' | 'transaction'>,
  input: AssessmentInput,
): Promise<EvaluatedAssessment> {
  const { userId } = requirePerson(context.actor);
  const assessed = await assess(context, input, userId);
  await context.transaction(async db => {
    await storeAssessment(db, userId, assessed);
  });
  return assessed;
}

/** Inserts an assessment with its own `createdAt`. */
export async function storeAssessment(
  db: Kysely<unknown>,
  userId: number,
  { row, evaluation }: Pick<EvaluatedAssessment, 'row' | 'evaluation'>,
): Promise<void> {
  await sql`
    insert into assessment (id, user_id, subject, blood_type, allergies, symptoms, reported, terms,
      symptom_duration, has_other_symptoms, symptoms_trend, severity, additional_notes, status, result, triage_level, urgency, created_at)
    values (${row.id}, ${userId}, ${row.subject}, ${row.bloodType}, ${row.allergies}, ${row.symptoms},
      ${evaluation.reported}, ${evaluation.terms}, ${row.symptomDuration}, ${row.hasOtherSymptoms}, ${row.symptomsTrend}, ${row.severity}, ${row.additionalNotes},
      ${row.status}, ${JSON.stringify(row.result)}, ${evaluation.result.triageLevel}, ${evaluation.urgency},
      ${row.createdAt})`.execute(db);
}
