import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { readEffect } from '../reads/read-effect.ts';
import { countView } from './article-views.ts';
import { type ArticleRow, articleById } from './articles.queries.ts';
import { markRecommendationsSeen } from './mark-recommendation-seen.ts';

/**
 * One article for display: counts the view and marks a recommendation of it as seen. Null when there is none. Also
 * answers while the database is read-only.
 */
export async function openArticle(context: Context, id: number, wanted: Selection): Promise<ArticleRow | null> {
  const { actor } = context;
  const [article] = await Promise.all([
    articleById(context, id, wanted),
    actor.kind === 'person' &&
      !actor.isGuest &&
      readEffect(context, () => markRecommendationsSeen(context, [actor.userId], id).execute(context.sql)),
  ]);
  if (article && context.appliesReadEffects) countView(context, id);
  return article;
}
