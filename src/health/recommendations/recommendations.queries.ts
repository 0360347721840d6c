import { sql } from 'kysely';
import type { RecommendedArticle } from '../../../schema/health/recommendation.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { matchesArticleSearch } from '../articles/article-search.ts';
import { type ArticleRow, articleList, articleOrdering, articleSelectList } from '../articles/articles.queries.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';

/** Selected columns of a recommended article; `id` is always present. */
export type RecommendedRow = ArticleRow &
  Pick<RecommendedArticle, 'recommendationId' | 'score' | 'reason' | 'status' | 'recommendedAt'>;

const recommendedArticle = articleSelectList({
  recommendationId: 'r.id',
  score: 'r.score',
  reason: 'r.reason',
  status: 'r.status',
  recommendedAt: 'r.created_at',
});

const ordering: OrderingOptions = {
  names: { ...articleOrdering.names, score: 'r.score', recommended_at: 'r.created_at' },
  key: 'a.id',
  byDefault: '-score',
};

const from = sql.raw('article_recommendation r join article a on a.id = r.article_id');

/** Pages of a user's pending recommendations, best score first. */
export function articlesRecommendedTo(
  context: Context,
  userId: number,
  filter: ListFilter,
): ListSource<RecommendedRow> {
  return articleList(context, {
    from,
    where: [
      sql`r.user_id = ${userId}`,
      sql`r.status = 'pending'`,
      ...matchesArticleSearch('r.article_id', filter.search),
    ],
    order: orderBy(filter.ordering, ordering),
    select: recommendedArticle,
  });
}
