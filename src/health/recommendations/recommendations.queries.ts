import { sql } from 'kysely';
import { Recommendation, type RecommendedArticle } from '../../../schema/health/recommendation.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { matchesArticleSearch } from '../articles/article-search.ts';
import { articleSelectList } from '../articles/article-select-list.ts';
import { type ArticleRow, articleList, articleOrdering } from '../articles/articles.queries.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type ListOrder, type OrderingOptions, orderBy, requestedOrdering } from '../lists/ordering.ts';

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

const key = sql.ref('r.article_id');

/** The pending recommendations of a user, in an order. */
function pendingOf(userId: number, { search }: ListFilter, order: ListOrder) {
  const within = [sql`r.user_id = ${userId}`];
  return {
    from,
    where: [...within, sql`r.status = 'pending'`, ...matchesArticleSearch(key, search)],
    order,
    deep: { key, within, order },
  };
}

/** Pages of a user's pending recommendations as flat articles, best score first. */
export function articlesRecommendedTo(
  context: Context,
  userId: number,
  filter: ListFilter,
): ListSource<RecommendedRow> {
  return articleList(context, {
    ...pendingOf(userId, filter, orderBy(requestedOrdering(filter), ordering)),
    select: recommendedArticle,
  });
}

/** Selected columns of a recommendation; `databaseId` is always present. */
export type RecommendationRow = Pick<Recommendation, 'score' | 'reason' | 'status' | 'recommendedAt'> & {
  databaseId: number;
  /** Number of the article, where the field is selected. */
  article?: number;
};

/** Of `article_recommendation r`. */
export const recommendationColumns = columnsOf(Recommendation, 'r', {
  always: ['databaseId'],
  computed: { article: 'r.article_id', recommendedAt: 'r.created_at' },
});

/** Pages of a user's pending recommendations, best score first. */
export function recommendationsFor(
  context: Context,
  userId: number,
  filter: ListFilter,
): ListSource<RecommendationRow> {
  return articleList(context, {
    ...pendingOf(userId, filter, orderBy(null, ordering)),
    select: wanted => recommendationColumns(wanted),
  });
}

/** The caller's recommendations with these ids, whatever their status; null for the other ids. */
export async function recommendationsByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(RecommendationRow | null)[]> {
  const { userId } = requirePerson(context.actor);
  const found = await context.read(sql<RecommendationRow>`select ${recommendationColumns(wanted)}
    from article_recommendation r where r.id = any(${[...ids]}::bigint[]) and r.user_id = ${userId}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}
