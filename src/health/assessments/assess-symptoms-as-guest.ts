import type { Context } from '../../context/context.ts';
import type { AssessmentRow } from './assessments.queries.ts';
import { assess } from './create-assessment.ts';
import type { GuestAssessmentFields } from './validate-assessment.ts';

/**
 * Assesses symptoms without storing or logging anything; the id refers to nothing. Rate limited by IP address.
 * @throws field errors
 */
export async function assessSymptomsAsGuest(
  context: Pick<Context, 'actor' | 'now' | 'read' | 'rateLimiter'>,
  input: GuestAssessmentFields,
): Promise<AssessmentRow> {
  await context.rateLimiter.charge([{ action: 'guestAssessment', key: context.actor.ip }]);
  const { row } = await assess(context, input);
  return { ...row, isSaved: false };
}
