import { sql } from 'kysely';
import type { DismissedRecommendation } from '../../../schema/health/recommendation.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';

/** Sends a recommendation of the caller away for good, also one that was seen. Throws when there is none of that number. */
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
