import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';

/** Statement: marks pending recommendations as seen, when people have opened, liked or bookmarked the article. */
export function markRecommendationsSeen(
  { now }: Pick<Context, 'now'>,
  userIds: readonly number[],
  articleId: number,
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`update article_recommendation set status = 'seen', seen_at = ${now().toISOString()}
    where user_id = any(${[...userIds]}::bigint[]) and article_id = ${articleId} and status = 'pending' and ${condition}`;
}
