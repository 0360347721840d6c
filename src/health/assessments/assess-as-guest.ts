import type { Context } from '../../context/context.ts';
import type { GuestAssessmentFields } from './assessment-input.ts';
import type { AssessmentRow } from './assessments.queries.ts';
import { assess } from './create-assessment.ts';

/**
 * Assesses what anybody told, and writes nothing anywhere: not a row, not a line in a log. The id names nothing. Throws field
 * errors; throttled by address of origin.
 */
export async function assessAsGuest(
  context: Pick<Context, 'actor' | 'now' | 'read' | 'rateLimiter'>,
  input: GuestAssessmentFields,
): Promise<AssessmentRow> {
  await context.rateLimiter.charge([{ action: 'guestAssessment', key: context.actor.ip }]);
  const { row } = await assess(context, input);
  return { ...row, saved: false };
}
