import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { personOf } from '../accounts/person.ts';
import { articlesByTags } from '../articles/articles-by-tags.queries.ts';
import { refreshTerms } from '../profiles/refresh-terms.ts';
import { type AssessmentInput, type CheckedInput, checkAssessment } from './assessment-input.ts';
import type { AssessmentRow } from './assessments.queries.ts';
import { type Evaluation, evaluate } from './evaluate.ts';

type Reading = Pick<Context, 'now' | 'read'>;

/** An assessment that is complete and stored nowhere. */
export interface Assessed {
  row: AssessmentRow;
  evaluation: Evaluation;
}

/** Checks what was told and assesses it. Reads articles and writes nothing. Throws field errors. */
export async function assess(context: Reading, input: AssessmentInput): Promise<Assessed> {
  const checked = checkAssessment(input);
  const evaluation = evaluate(checked.told);
  const articles = await articlesByTags(context, evaluation.tags);
  for (const [index, cause] of evaluation.result.possibleCauses.entries()) {
    for (const { id, headline, sourceUrl } of articles[index] ?? [])
      cause.sources.push({ article: id, title: headline, url: sourceUrl });
  }
  return { row: rowOf(checked, evaluation, context.now()), evaluation };
}

function rowOf({ told, bloodType }: CheckedInput, { result, severity }: Evaluation, now: Date): AssessmentRow {
  return {
    id: randomUUID(),
    subject: told.subject,
    bloodType,
    allergies: told.allergies,
    symptoms: [...told.symptoms],
    symptomText: told.symptoms.join(', '),
    symptomDuration: told.duration,
    hasOtherSymptoms: told.hasOtherSymptoms,
    symptomsTrend: told.trend,
    severity,
    additionalNotes: told.notes,
    status: 'completed',
    result,
    createdAt: now.toISOString(),
    saved: true,
  };
}

/** Assesses what the caller told and stores it: one insert of a finished assessment, so that none is ever half there. */
export async function createAssessment(
  context: Pick<Context, 'actor' | 'now' | 'read' | 'transaction'>,
  input: AssessmentInput,
): Promise<AssessmentRow> {
  const { userId } = personOf(context.actor);
  const assessed = await assess(context, input);
  await context.transaction(async db => {
    await storeAssessment(db, userId, assessed);
    await refreshTerms(db, [userId], context.now());
  });
  return assessed.row;
}

/** Stores an assessment as made at its `createdAt`. */
export async function storeAssessment(
  db: Kysely<unknown>,
  userId: number,
  { row, evaluation }: Assessed,
): Promise<void> {
  await sql`
    insert into assessment (id, user_id, subject, blood_type, allergies, symptoms, reported, terms,
      symptom_duration, has_other_symptoms, symptoms_trend, severity, additional_notes, status, result, triage_level, urgency, created_at)
    values (${row.id}, ${userId}, ${row.subject}, ${row.bloodType}, ${row.allergies}, ${row.symptoms},
      ${evaluation.reported}, ${evaluation.terms}, ${row.symptomDuration}, ${row.hasOtherSymptoms}, ${row.symptomsTrend}, ${row.severity}, ${row.additionalNotes},
      ${row.status}, ${JSON.stringify(row.result)}, ${evaluation.result.triageLevel}, ${evaluation.urgency},
      ${row.createdAt})`.execute(db);
}
