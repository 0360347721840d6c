import { sql } from 'kysely';
import type { DismissedRecommendation } from '../../../schema/health/recommendation.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';

/**
 * Dismisses one of the caller's recommendations permanently, pending or seen.
 * @throws notFound
 */
export async function dismissRecommendation(
  context: Pick<Context, 'actor' | 'transaction'>,
  id: number,
): Promise<DismissedRecommendation> {
  const { userId } = requirePerson(context.actor);
  return context.transaction(async db => {
    const dismissed = await sql`update article_recommendation set status = 'dismissed'
      where id = ${id} and user_id = ${userId} returning id`.execute(db);
    if (dismissed.rows.length === 0) throw notFound();
    return { recommendationId: id, status: 'dismissed', detail: 'Recommendation dismissed.' };
  });
}
