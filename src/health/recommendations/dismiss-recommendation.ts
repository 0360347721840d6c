import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { type RecommendationRow, recommendationColumns } from './recommendations.queries.ts';

/**
 * Dismisses one of the caller's recommendations permanently, pending or seen, and returns its selected fields.
 * @throws notFound
 */
export async function dismissRecommendation(
  context: Pick<Context, 'actor' | 'transaction'>,
  id: number,
  wanted: Selection,
): Promise<RecommendationRow> {
  const { userId } = requirePerson(context.actor);
  return context.transaction(async db => {
    const { rows } = await sql<RecommendationRow>`update article_recommendation r set status = 'dismissed'
      where r.id = ${id} and r.user_id = ${userId} returning ${recommendationColumns(wanted)}`.execute(db);
    const [dismissed] = rows;
    if (!dismissed) throw notFound();
    return dismissed;
  });
}
