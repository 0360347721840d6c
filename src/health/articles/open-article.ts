import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { orNotNow } from '../reads/or-not-now.ts';
import { type ArticleRow, articleById } from './articles.queries.ts';
import { countView } from './count-views.ts';
import { seeRecommendation } from './see-recommendation.ts';

/**
 * One article for somebody who opens it: the view is counted, and a recommendation of it is seen. Null when there is none
 * to see. The article is answered also while neither can be written.
 */
export async function openArticle(context: Context, id: number, wanted: Selection): Promise<ArticleRow | null> {
  const { actor } = context;
  const [article] = await Promise.all([
    articleById(context, id, wanted),
    actor.kind === 'person' && !actor.isGuest && orNotNow(seeRecommendation(context.sql, context, actor.userId, id)),
  ]);
  if (article) countView(context, id);
  return article;
}
