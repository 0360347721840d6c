import { type RawBuilder, sql } from 'kysely';
import { Article, type ArticleOrder } from '../../../schema/health/article.ts';
import type { Actor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { type JsonField, jsonArray } from '../../db/json-columns.ts';
import type { Selection } from '../../db/selection.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';
import { matchesArticleSearch, matchingArticleIds } from './article-search.ts';

/** Selected columns of an article; `databaseId` is always present. */
export type ArticleRow = Omit<Article, 'id' | 'body' | 'bodyMarkdown' | 'withdrawnAt' | 'bookmarkCount'> & {
  databaseId: number;
  /** Of a single article; in lists `loadBodies` reads it. */
  body?: string;
};

export interface ArticleFilter extends ListFilter {
  source?: string | null | undefined;
  category?: string | null | undefined;
  /** Sort keys; `ordering` takes precedence. */
  orderBy?: readonly ArticleOrder[] | null | undefined;
}

const categoryColumns = { databaseId: 'id', slug: 'slug', name: 'name', description: 'description' };
const sqlOfCategory = Object.fromEntries(
  Object.entries(categoryColumns).map(([name, column]) => [name, `c.${column}`]),
);
/** Fields of a category that are made of its key. */
const keyedCategoryFields = ['databaseId', 'id', 'articles'];

/**
 * A subquery, not a DataLoader: one more statement cost a third of the CPU time of the page. Only the selected fields:
 * descriptions were a fifth of the bytes sent by PostgreSQL.
 */
function categoriesColumn(wanted: Selection): string {
  const isKeyed = keyedCategoryFields.some(name => wanted.has(name));
  const pairs = Object.entries(categoryColumns)
    .filter(([name]) => wanted.has(name) || (name === 'databaseId' && isKeyed))
    .map(([name, column]) => `'${name}', c.${column}`);
  return `(select coalesce(json_agg(json_build_object(${pairs.join(', ')}) order by c.name, c.id), '[]') ${categoriesOfArticle})`;
}

const categoriesOfArticle =
  'from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id';

function categoriesAsJson(fields: readonly JsonField[]): string | undefined {
  return jsonArray(fields, sqlOfCategory, `${categoriesOfArticle} order by c.name, c.id`);
}

/** The select list of articles, for a caller and what that caller selects. */
export interface ArticleSelectList {
  (wanted: Selection, caller: { actor: Actor }): RawBuilder<unknown>;
  /** See `SelectList.json`. */
  json?(fields: readonly JsonField[], caller: { actor: Actor }): RawBuilder<unknown> | undefined;
}

/** `more`: what these rows carry beside the article. Likes and bookmarks are looked up for callers with an account alone. */
export function articleSelectList(more: Readonly<Record<string, string>> = {}): ArticleSelectList {
  const shared = {
    viewCount: 'coalesce((select v.views from article_view v where v.article_id = a.id), 0)',
    categories: { below: categoriesColumn, json: categoriesAsJson },
    ...more,
  };
  const anonymous = columnsOf(Article, 'a', {
    always: ['databaseId'],
    except: ['body'],
    computed: { ...shared, isLiked: 'false', isBookmarked: 'false' },
  });
  const personal = columnsOf(Article, 'a', {
    always: ['databaseId'],
    except: ['body'],
    computed: {
      ...shared,
      isLiked: marked('article_like'),
      isBookmarked: marked('article_bookmark'),
    },
  });
  return Object.assign(
    (wanted: Selection, { actor }: { actor: Actor }) =>
      actor.kind === 'person' && !actor.isGuest ? personal(wanted, actor.userId) : anonymous(wanted),
    {
      json(fields: readonly JsonField[], { actor }: { actor: Actor }) {
        return actor.kind === 'person' && !actor.isGuest ? personal.json(fields, actor.userId) : anonymous.json(fields);
      },
    },
  );
}

/** Whether the caller has a row of the article in a table of likes or bookmarks. */
function marked(table: string) {
  return {
    before: `exists (select from ${table} m where m.user_id = `,
    parameter: (userId: number) => userId,
    after: '::bigint and m.article_id = a.id)',
  };
}

export const listedArticle = articleSelectList();
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

/** Condition: published, not in the future and not withdrawn. */
export const isVisible = ({ now }: Pick<Context, 'now'>): RawBuilder<unknown> =>
  // As text: `pg` formats a Date in local time, field by field.
  sql`a.withdrawn_at is null and a.published_at <= ${now().toISOString()}`;

/** ORDER BY of a filter on `article a`. */
export const articleOrder = ({ ordering, orderBy: sortKeys }: ArticleFilter): RawBuilder<unknown> =>
  orderBy(ordering ?? sortKeys?.join(), articleOrdering);

/** Conditions of a filter on `article a`. */
export function filterConditions(filter: ArticleFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.source) conditions.push(sql`a.source = ${filter.source}`);
  if (filter.category) {
    conditions.push(sql`a.id in (select ac.article_id from article_category ac join category c on c.id = ac.category_id
      where c.slug = ${filter.category})`);
  }
  const matchingIds = matchingArticleIds(filter.search);
  // An array, not a join, which took twice as long for a frequent word: rows are fetched in the order of their ids.
  if (matchingIds) conditions.push(sql`a.id = any (array(${matchingIds}))`);
  return conditions;
}

/** A page of articles. `from` must alias the table as `a`; `where` selects the rows of the list. */
export function articleList<Row>(
  context: Context,
  list: {
    from: RawBuilder<unknown>;
    where: RawBuilder<unknown>[];
    order: RawBuilder<unknown>;
    select?: ArticleSelectList;
  },
): ListSource<Row> {
  return tablePage(context.read, {
    select: wanted => (list.select ?? listedArticle)(wanted, context),
    selectJson: fields => (list.select ?? listedArticle).json?.(fields, context),
    from: list.from,
    where: [isVisible(context), ...list.where],
    order: list.order,
  });
}

const articleSource = sql.raw('article a');

/** Pages of `articles`. `ordering` and `search` have the syntax of the published API. */
export function articlesMatching(context: Context, filter: ArticleFilter): ListSource<ArticleRow> {
  return articleList(context, {
    from: articleSource,
    where: filterConditions(filter),
    order: articleOrder(filter),
  });
}

const bookmarkOrdering: OrderingOptions = {
  names: { ...articleOrdering.names, bookmarked_at: 'k.created_at' },
  key: 'a.id',
  byDefault: '-bookmarked_at',
};

const bookmarkedArticles = sql.raw('article_bookmark k join article a on a.id = k.article_id');

/** A bookmarked article, with the time of the bookmark for the edge. */
export type BookmarkRow = ArticleRow & { bookmarkedAt: string };

const bookmarkedArticle: ArticleSelectList = (wanted, caller) =>
  sql`k.created_at as "bookmarkedAt", ${listedArticle(wanted, caller)}`;

/** Pages of the bookmarks of one user, the newest first. */
export function articlesBookmarkedBy(context: Context, userId: number, filter: ListFilter): ListSource<BookmarkRow> {
  return articleList(context, {
    select: bookmarkedArticle,
    from: bookmarkedArticles,
    where: [sql`k.user_id = ${userId}`, ...matchesArticleSearch('k.article_id', filter.search)],
    order: orderBy(filter.ordering, bookmarkOrdering),
  });
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

/** DataLoader batch: up to three other articles with the most shared categories, the newest first among equals. */
export async function relatedArticles(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<ArticleRow[][]> {
  const found = await context.read(sql<ArticleRow & { of: number }>`
    select near.of, ${listedArticle(wanted, context)}
    from unnest(${ids}::bigint[]) as wanted(id)
    cross join lateral (
      select wanted.id as of, other.article_id, count(*) as shared
      from article_category own join article_category other using (category_id)
      join article a on a.id = other.article_id
      where own.article_id = wanted.id and other.article_id <> wanted.id and ${isVisible(context)}
      group by other.article_id, a.published_at
      order by shared desc, a.published_at desc, other.article_id desc
      limit 3
    ) near
    join article a on a.id = near.article_id
    order by near.shared desc, a.published_at desc, a.id desc`);
  const byArticle = new Map<number, ArticleRow[]>(ids.map(id => [id, []]));
  for (const row of found) byArticle.get(row.of)?.push(row);
  return ids.map(id => byArticle.get(id) ?? []);
}
