import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';

/** Marks a pending recommendation as seen, when its article was opened, liked or bookmarked. */
export async function markRecommendationSeen(
  db: Kysely<unknown>,
  { now }: Pick<Context, 'now'>,
  userId: number,
  articleId: number,
): Promise<void> {
  await sql`update article_recommendation set status = 'seen', seen_at = ${now().toISOString()}
    where user_id = ${userId} and article_id = ${articleId} and status = 'pending'`.execute(db);
}
