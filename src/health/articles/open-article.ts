import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { readEffect } from '../reads/read-effect.ts';
import { countView } from './article-views.ts';
import { type ArticleRow, articleById } from './articles.queries.ts';
import { markRecommendationsSeen } from './mark-recommendation-seen.ts';

/**
 * One article for display: counts the view and marks a recommendation of it and a correction since the caller's bookmark as seen. Null when there is none. Also
 * answers while the database is read-only.
 */
export async function openArticle(context: Context, id: number, wanted: Selection): Promise<ArticleRow | null> {
  const { actor } = context;
  const [article] = await Promise.all([
    articleById(context, id, wanted),
    actor.kind === 'person' &&
      !actor.isGuest &&
      readEffect(context, () => markSeen(context, actor.userId, id).execute(context.sql)),
  ]);
  if (article && context.appliesReadEffects) countView(context, id);
  return article;
}

/** Statement: the recommendation of an article, and what was corrected since the bookmark, are seen. */
function markSeen(context: Context, userId: number, articleId: number): RawBuilder<unknown> {
  return sql`with corrected as (
      update article_bookmark k set correction_seen_at = ${context.now().toISOString()}
      from article a where k.user_id = ${userId} and k.article_id = ${articleId} and a.id = k.article_id
        and a.corrected_at > greatest(k.created_at, k.correction_seen_at))
    ${markRecommendationsSeen(context, [userId], articleId)}`;
}
