import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Article } from '../../../schema/health/article.ts';
import type { Category } from '../../../schema/health/category.ts';
import type { Actor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { PageSource } from '../../db/page.ts';
import type { Selection } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';
import { matchesArticleSearch, matchingArticleIds } from './article-search.ts';

/** An article as a query brings it: its id, and of the rest what was selected. */
export type ArticleRow = Omit<Article, 'body' | 'bodyMarkdown' | 'withdrawnAt' | 'bookmarkCount'> & {
  /** Of a single article; in lists `loadBodies` reads it. */
  body?: string;
};

/** What a list of one's own articles can be asked for. */
export interface SearchFilter {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}

export interface ArticleFilter extends SearchFilter {
  source?: string | null | undefined;
  category?: string | null | undefined;
}

const categoryColumns = ['id', 'slug', 'name', 'description'] as const satisfies (keyof Category)[];

/**
 * With the row and not by a loader: a statement more for the page cost a third of its CPU time. Only what is selected of
 * them: their descriptions alone were a fifth of what PostgreSQL sent.
 */
function categoriesColumn(wanted: Selection): string {
  const pairs = categoryColumns.filter(name => wanted.has(name)).map(name => `'${name}', c.${name}`);
  return `(select coalesce(json_agg(json_build_object(${pairs.join(', ')}) order by c.name, c.id), '[]')
    from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id)`;
}

/** The select list of articles, for a caller and what that caller selects. */
export type ArticleSelectList = (wanted: Selection, caller: { actor: Actor }) => RawBuilder<unknown>;

/** `more`: what these rows carry beside the article. Likes and bookmarks are looked up for callers with an account alone. */
export function articleSelectList(more: Readonly<Record<string, string>> = {}): ArticleSelectList {
  const shared = {
    viewCount: 'coalesce((select v.views from article_view v where v.article_id = a.id), 0)',
    categories: { below: categoriesColumn },
    ...more,
  };
  const anonymous = columnsOf(Article, 'a', {
    always: ['id'],
    except: ['body'],
    computed: { ...shared, isLiked: 'false', isBookmarked: 'false' },
  });
  const personal = columnsOf(Article, 'a', {
    always: ['id'],
    except: ['body'],
    computed: {
      ...shared,
      isLiked: marked('article_like'),
      isBookmarked: marked('article_bookmark'),
    },
  });
  return (wanted, { actor }) =>
    actor.kind === 'person' && !actor.isGuest ? personal(wanted, actor.userId) : anonymous(wanted);
}

/** Whether the caller has a row of the article in a table of likes or bookmarks. */
function marked(table: string) {
  return {
    before: `exists (select from ${table} m where m.user_id = `,
    parameter: (userId: number) => userId,
    after: '::bigint and m.article_id = a.id)',
  };
}

const listedArticle = articleSelectList();
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

/** The articles anybody may see now: published, not in the future, not taken back. */
export const isVisible = ({ now }: Pick<Context, 'now'>): RawBuilder<unknown> =>
  // As text: `pg` spells a Date out in local time, field by field.
  sql`a.withdrawn_at is null and a.published_at <= ${now().toISOString()}`;

/** The conditions of a filter, on `article a`. */
function filterConditions(filter: ArticleFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.source) conditions.push(sql`a.source = ${filter.source}`);
  if (filter.category) {
    conditions.push(sql`a.id in (select ac.article_id from article_category ac join category c on c.id = ac.category_id
      where c.slug = ${filter.category})`);
  }
  const matchingIds = matchingArticleIds(filter.search);
  // An array and not a join, which took twice as long for a word of most articles: they are fetched in the order of their ids.
  if (matchingIds) conditions.push(sql`a.id = any (array(${matchingIds}))`);
  return conditions;
}

/** A list of articles: `from` names the table `a`, and `where` what of it is in the list. */
export function articleList<Row>(
  context: Context,
  list: {
    from: RawBuilder<unknown>;
    where: RawBuilder<unknown>[];
    order: RawBuilder<unknown>;
    select?: ArticleSelectList;
  },
): PageSource<Row> {
  return tablePage(context.read, {
    select: wanted => (list.select ?? listedArticle)(wanted, context),
    from: list.from,
    where: [isVisible(context), ...list.where],
    order: list.order,
  });
}

const articleSource = sql.raw('article a');

/** The list behind `articles`. `ordering` and `search` have the grammar of the published API. */
export function articlesMatching(context: Context, filter: ArticleFilter): PageSource<ArticleRow> {
  return articleList(context, {
    from: articleSource,
    where: filterConditions(filter),
    order: orderBy(filter.ordering, articleOrdering),
  });
}

const bookmarkOrdering: OrderingOptions = {
  names: { ...articleOrdering.names, bookmarked_at: 'k.created_at' },
  key: 'a.id',
  byDefault: '-bookmarked_at',
};

const bookmarkedArticles = sql.raw('article_bookmark k join article a on a.id = k.article_id');

/** The list behind `bookmarkedArticles`: of one person, what was kept last first. */
export function articlesBookmarkedBy(context: Context, userId: number, filter: SearchFilter): PageSource<ArticleRow> {
  return articleList(context, {
    from: bookmarkedArticles,
    where: [sql`k.user_id = ${userId}`, ...matchesArticleSearch('k.article_id', filter.search)],
    order: orderBy(filter.ordering, bookmarkOrdering),
  });
}

/** What is wanted of one article, or null when it is absent or not to be seen. */
export async function articleById(context: Context, id: number, wanted: Selection): Promise<ArticleRow | null> {
  const [found] = await context.read(sql<ArticleRow>`select ${singleArticle(wanted, context)} from article a
    where a.id = ${id} and ${isVisible(context)}`);
  return found ?? null;
}

/**
 * Holds one article until the end of the transaction, so that what is done to its likes, bookmarks and comments happens one
 * after the other and its counts stay right; other articles and their readers go on. Throws for one that is not to be seen.
 */
export async function lockArticle(db: Kysely<unknown>, context: Pick<Context, 'now'>, id: number): Promise<void> {
  const held =
    await sql`select a.id from article a where a.id = ${id} and ${isVisible(context)} for no key update`.execute(db);
  if (held.rows.length === 0) throw notFound();
}

/** Up to three other articles that share most categories with each, the newest first among equals. */
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

/** Every category, by name. */
export function allCategories({ read }: Pick<Context, 'read'>): Promise<Category[]> {
  return read(sql<Category>`select id, slug, name, description from category order by name, id`);
}
