import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Finding } from 'triage';
import { matcherTable } from 'triage/knowledge/matcher';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { articlesByTags } from '../articles/articles-by-tags.queries.ts';
import { findDangerIn } from '../safety/safety-notice.ts';
import type { AssessmentRow } from './assessments.queries.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { withProfileFacts } from './profile-facts.ts';
import { type AssessmentInput, type ValidatedAssessment, validateAssessment } from './validate-assessment.ts';

type Dependencies = Pick<Context, 'now' | 'read'>;

/** A complete assessment that is not stored. */
export interface EvaluatedAssessment {
  row: AssessmentRow;
  evaluation: Evaluation;
  finding: Finding;
}

/**
 * Validates and evaluates an assessment. Reads articles, and the profile of a user who assesses themselves; writes nothing.
 * @throws field errors
 */
export async function assess(
  context: Dependencies,
  input: AssessmentInput,
  userId?: number,
): Promise<EvaluatedAssessment> {
  const checked = validateAssessment(input);
  const { report } = checked;
  if (userId !== undefined && report.subject === 'myself')
    report.person = await withProfileFacts(context, userId, report.person);
  await matcherTable.load();
  const finding = await findDangerIn([...report.symptoms, report.notes]);
  const evaluation = evaluate(report, finding);
  const articles = await articlesByTags(context, evaluation.subjects);
  for (const [index, cause] of evaluation.result.possibleCauses.entries()) {
    for (const { id, headline, sourceUrl } of articles[index] ?? [])
      cause.sources.push({ article: id, title: headline, url: sourceUrl });
  }
  return { row: buildRow(checked, evaluation, context.now()), evaluation, finding };
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
  context: Pick<Context, 'actor' | 'now' | 'read' | 'transaction'>,
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
