import { type RawBuilder, sql } from 'kysely';
import type { Article } from '../../../schema/health/article.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { anchorOfTime, readWindow, storedUntil } from '../lists/list-window.ts';
import {
  type ListOrder,
  type OrderingOptions,
  orderBy,
  parseOrdering,
  requestedOrdering,
  sortKeysOf,
} from '../lists/ordering.ts';
import { type DeepPages, tablePage } from '../lists/table-page.ts';
import { type FoundArticles, foundArticles, matchesArticleSearch } from './article-search.ts';
import { type ArticleSelectList, articleSelectList, listedArticle, readerOf } from './article-select-list.ts';
import { countArticles, type ListClock, monthLandmark } from './article-tallies.ts';
import type { ArticleSearch } from './article-terms.ts';

/** Selected columns of an article; `databaseId` is always present. */
export type ArticleRow = Omit<
  Article,
  'id' | 'body' | 'bodyMarkdown' | 'entryId' | 'versionAt' | 'feedWrittenAt' | 'withdrawnAt' | 'bookmarkCount'
> & {
  databaseId: number;
  /** Of a single article; in lists `loadBodies` reads it. */
  body?: string;
};

export interface ArticleFilter extends ListFilter {
  source?: string | null | undefined;
  category?: string | null | undefined;
  /** Greatest id of an article: that of an anchor. */
  newest?: number | undefined;
}

const singleArticle = articleSelectList({ body: 'a.body' });

export const articleOrdering: OrderingOptions = {
  names: {
    published_at: 'a.published_at',
    like_count: 'a.like_count',
    comment_count: 'a.comment_count',
    read_time_minutes: 'a.read_time_minutes',
    headline: 'a.headline',
    id: 'a.id',
  },
  key: 'a.id',
  byDefault: '-published_at',
};

/** Condition: published, not in the future and not withdrawn. `alias` is an `article` or an `article_category`. */
export const isVisible = ({ now }: ListClock, alias: 'a' | 'ac' = 'a'): RawBuilder<unknown> =>
  // As text: `pg` formats a Date in local time, field by field.
  sql`${sql.ref(alias)}.withdrawn_at is null and ${sql.ref(alias)}.published_at <= ${now().toISOString()}`;

/** The same order by the columns of `article_category ac`, where it has them. */
const filedOrdering: OrderingOptions = {
  ...articleOrdering,
  names: { ...articleOrdering.names, published_at: 'ac.published_at', id: 'ac.article_id' },
  key: 'ac.article_id',
};

const articleSource = sql.raw('article a');
const filedSource = sql.raw('article_category ac');
const filedArticles = sql.raw('article_category ac join article a on a.id = ac.article_id');

/** What `tablePage` and `batchedTable` need of a list of articles, but for its select list. */
export interface ArticleListQuery {
  with?: RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  readFrom: RawBuilder<unknown>;
  where: RawBuilder<unknown>[];
  order: ListOrder;
  deep: DeepPages;
  total: RawBuilder<{ total: number }>;
}

/**
 * The visible articles of a filter.
 * @param search that of the filter, as `readArticleSearch` understands it; null for none
 * @param ofCategory SQL expression of a category, for lists of many categories; it replaces `filter.category`
 */
export function articleListQuery(
  context: ListClock,
  filter: ArticleFilter,
  search: ArticleSearch | null,
  ofCategory?: RawBuilder<unknown>,
): ArticleListQuery {
  const category = ofCategory ?? categoryOf(filter);
  const list = { source: filter.source, category, newest: filter.newest };
  const ordering = requestedOrdering(filter) ?? undefined;
  if (search) {
    const order = orderBy(ordering, articleOrdering);
    // The lists of many categories each have a search of their own, and say the newest first.
    if (ofCategory) return foundList(context, foundArticles(context, search, list, false), order, 'inline');
    // Quotations are in all that they find, so that nothing ranks it.
    const isRanked =
      parseOrdering(ordering ?? '', articleOrdering).length === 0 && search.terms.some(one => !one.isPhrase);
    const found = foundArticles(context, search, list, isRanked);
    return { with: sql`with ${found.with}`, ...(isRanked ? rankedList() : foundList(context, found, order, 'named')) };
  }
  const sortKeys = sortKeysOf(ordering, articleOrdering);
  const query = category ? filedList(context, category, ordering, sortKeys) : plainList(context, ordering);
  if (list.source) query.where.push(sql`${sql.ref(query.alias)}.source = ${list.source}`);
  if (list.newest !== undefined) query.where.push(sql`${query.deep.key} <= ${list.newest}`);
  const isByTime = sortKeys.length === 1 && /^-?published_at$/.test(sortKeys[0] ?? '');
  const publishedAt = sql`${sql.ref(query.alias)}.published_at`;
  if (isByTime) query.deep.landmark = monthLandmark(context, list, publishedAt, sortKeys[0] === 'published_at');
  return { ...query, total: countArticles(context, list) };
}

function plainList(
  context: ListClock,
  ordering: string | undefined,
): Omit<ArticleListQuery, 'total'> & { alias: string } {
  const order = orderBy(ordering, articleOrdering);
  const deep = { key: sql.ref('a.id'), within: [], order };
  return { alias: 'a', from: articleSource, readFrom: articleSource, where: [isVisible(context)], order, deep };
}

/** The articles of a category: without the table of articles, where the index of the category has all that the order needs. */
function filedList(
  context: ListClock,
  category: RawBuilder<unknown>,
  ordering: string | undefined,
  sortKeys: readonly string[],
): Omit<ArticleListQuery, 'total'> & { alias: string } {
  const order = orderBy(ordering, filedOrdering);
  const within = [sql`ac.category_id = ${category}`];
  const from = sortKeys.every(one => /^-?(published_at|id)$/.test(one)) ? filedSource : filedArticles;
  const deep = { key: sql.ref('ac.article_id'), within, order };
  return { alias: 'ac', from, readFrom: filedArticles, where: [...within, isVisible(context, 'ac')], order, deep };
}

/** The articles that a search found. `inline`: with the expressions that find them, for each use. */
function foundList(
  context: ListClock,
  found: FoundArticles,
  order: ListOrder,
  use: 'inline' | 'named',
): ArticleListQuery {
  const ids = use === 'inline' ? sql`with ${found.with} select id from search` : sql`select id from search`;
  return {
    from: articleSource,
    readFrom: articleSource,
    // An array, not a join: the planner expects more rows of the search than there can be. That they are visible is known, but
    // the index that orders them by time without reading them has visible articles alone.
    where: [sql`a.id = any (array(${ids}))`, isVisible(context)],
    order,
    deep: { key: sql.ref('a.id'), order, isSorted: true },
    total: sql`select count(*)::int as total from (${ids}) found`,
  };
}

const ranking: OrderingOptions = { names: { relevance: 's.score' }, key: 's.id', byDefault: '-relevance' };
const rankedSource = sql.raw('search s');
const rankedArticles = sql.raw('search s join article a on a.id = s.id');

/** The articles that a search found, the best first: they are chosen by their scores and read afterwards. */
function rankedList(): ArticleListQuery {
  const order = orderBy(null, ranking);
  return {
    from: rankedSource,
    readFrom: rankedArticles,
    where: [sql`true`],
    order,
    deep: { key: sql.ref('s.id'), order, isSorted: true },
    total: sql`select count(*)::int as total from search`,
  };
}

const categoryOf = ({ category }: ArticleFilter): RawBuilder<unknown> | undefined =>
  category ? sql`(select id from category where slug = ${category})` : undefined;

/** Pages of the articles of one person. `from` must alias the table as `a`; `where` selects the rows of the list. */
export function articleList<Row>(
  context: Context,
  list: {
    from: RawBuilder<unknown>;
    where: RawBuilder<unknown>[];
    order: ListOrder;
    deep: DeepPages;
    select?: ArticleSelectList;
  },
): ListSource<Row> {
  const { select = listedArticle, where, ...query } = list;
  return tablePage(context.read, {
    ...query,
    select: wanted => select(wanted, context),
    selectJson: fields => select.json?.(fields, readerOf(context)),
    where: [isVisible(context), ...where],
  });
}

const bookmarkOrdering: OrderingOptions = {
  names: { ...articleOrdering.names, bookmarked_at: 'k.created_at' },
  key: 'a.id',
  byDefault: '-bookmarked_at',
};

const bookmarkedArticles = sql.raw('article_bookmark k join article a on a.id = k.article_id');

/** A bookmarked article, with the time of the bookmark for the edge. */
export type BookmarkRow = ArticleRow & { bookmarkedAt: string; unseenCorrectionAt: string | null };

const bookmarkedArticle: ArticleSelectList = (wanted, caller) =>
  sql`k.created_at as "bookmarkedAt",
    case when a.corrected_at > greatest(k.created_at, k.correction_seen_at) then a.corrected_at end as "unseenCorrectionAt",
    ${listedArticle(wanted, caller)}`;

/** Pages of the bookmarks of one user, the newest first. */
export function articlesBookmarkedBy(
  context: Context,
  userId: number,
  filter: ListFilter & { asOf?: string | null },
): ListSource<BookmarkRow> {
  const window = readWindow(context.now, filter.asOf);
  const key = sql.ref('k.article_id');
  const within = [sql`k.user_id = ${userId}`];
  const order = orderBy(requestedOrdering(filter), bookmarkOrdering);
  const list = articleList<BookmarkRow>(context, {
    select: bookmarkedArticle,
    from: bookmarkedArticles,
    where: [...within, ...storedUntil(window, 'k.created_at'), ...matchesArticleSearch(key, filter.search)],
    order,
    deep: { key, within, order },
  });
  return { ...list, asOf: () => anchorOfTime(context.now, window) };
}

/** DataLoader batch: the selected fields of articles; null for each that does not exist or is not visible. */
export async function articlesByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(ArticleRow | null)[]> {
  const found = await context.read(sql<ArticleRow>`select ${listedArticle(wanted, context)} from article a
    where a.id = any(${[...ids]}::bigint[]) and ${isVisible(context)}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** The selected fields of one article, or null when it does not exist or is not visible. */
export async function articleById(context: Context, id: number, wanted: Selection): Promise<ArticleRow | null> {
  const [found] = await context.read(sql<ArticleRow>`select ${singleArticle(wanted, context)} from article a
    where a.id = ${id} and ${isVisible(context)}`);
  return found ?? null;
}
