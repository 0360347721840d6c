import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { bestEffort } from '../reads/best-effort.ts';
import { countView } from './article-views.ts';
import { type ArticleRow, articleById } from './articles.queries.ts';
import { markRecommendationSeen } from './mark-recommendation-seen.ts';

/**
 * One article for somebody who opens it: the view is counted, and a recommendation of it is seen. Null when there is none
 * to see. The article is answered also while neither can be written.
 */
export async function openArticle(context: Context, id: number, wanted: Selection): Promise<ArticleRow | null> {
  const { actor } = context;
  const [article] = await Promise.all([
    articleById(context, id, wanted),
    actor.kind === 'person' &&
      !actor.isGuest &&
      bestEffort(markRecommendationSeen(context.sql, context, actor.userId, id)),
  ]);
  if (article) countView(context, id);
  return article;
}
