import type { Context } from '../../context/context.ts';
import { assess, type EvaluatedAssessment } from './create-assessment.ts';
import type { GuestAssessmentFields } from './validate-assessment.ts';

/**
 * Assesses symptoms without storing or logging anything; the id refers to nothing. Rate limited by IP address.
 * @throws field errors
 */
export async function assessSymptomsAsGuest(
  context: Pick<Context, 'actor' | 'config' | 'now' | 'origin' | 'read' | 'rateLimiter'>,
  input: GuestAssessmentFields,
): Promise<EvaluatedAssessment> {
  await context.rateLimiter.charge([{ action: 'guestAssessment', key: context.actor.ip }]);
  const assessed = await assess(context, input);
  return { ...assessed, row: { ...assessed.row, isSaved: false } };
}
