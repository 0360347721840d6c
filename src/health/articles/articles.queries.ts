import { type RawBuilder, sql } from 'kysely';
import type { PageSource } from '../../../schema/vocabulary/page.ts';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { containing, searchTerms } from './search-terms.ts';

/** An article as a query brings it: its id, and of the rest what was selected. */
export interface ArticleRow {
  id: number;
  headline: string;
  summary: string;
  imageUrl: string | null;
  author: string;
  source: string;
  sourceUrl: string | null;
  tags: string[];
  readTimeMinutes: number;
  publishedAt: string;
  updatedAt: string;
  likeCount: number;
  commentCount: number;
  isLiked: boolean;
  isBookmarked: boolean;
  body: string;
  categories: CategoryRow[];
}

export interface CategoryRow {
  id: number;
  slug: string;
  name: string;
  description: string;
}

export interface ArticleFilter {
  source?: string | null | undefined;
  category?: string | null | undefined;
  search?: string | null | undefined;
  ordering?: string | null | undefined;
}

const categoryColumns = ['id', 'slug', 'name', 'description'] as const satisfies (keyof CategoryRow)[];

/**
 * What the graph calls a column → how it is read. A row brings what was selected of these, and its id always.
 * Text and not builders: it is the same for every request, and a tree of 16 of them was a tenth of a request to compile.
 */
const columns: Record<Exclude<keyof ArticleRow, 'id'>, string | ((wanted: Selection) => string)> = {
  headline: 'a.headline',
  summary: 'a.summary',
  imageUrl: 'a.image_url',
  author: 'a.author',
  source: 'a.source',
  sourceUrl: 'a.source_url',
  tags: 'a.tags',
  readTimeMinutes: 'a.read_time_minutes',
  publishedAt: 'a.published_at',
  updatedAt: 'a.updated_at',
  likeCount: 'a.like_count',
  commentCount: 'a.comment_count',
  // Likes and bookmarks belong to accounts; the only actor there is has none.
  isLiked: 'false',
  isBookmarked: 'false',
  body: 'a.body',
  categories: categoriesColumn,
};

/**
 * With the row and not by a loader: a statement more for the page cost a third of its CPU time. Only what is selected of
 * them: their descriptions alone were a fifth of what PostgreSQL sent.
 */
function categoriesColumn(wanted: Selection): string {
  const pairs = categoryColumns.filter(name => wanted.has(name)).map(name => `'${name}', c.${name}`);
  return `(select coalesce(json_agg(json_build_object(${pairs.join(', ')}) order by c.name, c.id), '[]')
    from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id)`;
}

const selectLists = new WeakMap<Selection, RawBuilder<unknown>>();

/** The select list for what a caller wants, made once for each document. */
function columnsFor(wanted: Selection): RawBuilder<unknown> {
  const before = selectLists.get(wanted);
  if (before) return before;
  const named = Object.entries(columns).flatMap(([name, column]) => {
    const below = wanted.get(name);
    return below ? [`${typeof column === 'string' ? column : column(below)} as "${name}"`] : [];
  });
  // Raw, but nothing of the caller's: names and texts are those above.
  const list = sql.raw(['a.id', ...named].join(', '));
  selectLists.set(wanted, list);
  return list;
}

const orderings = new Set(['published_at', 'like_count', 'comment_count', 'read_time_minutes', 'headline', 'id']);

/** The articles anybody may see now: published, not in the future, not taken back. */
export const visible = ({ now }: Pick<Context, 'now'>): RawBuilder<unknown> =>
  // As text: `pg` spells a Date out in local time, field by field.
  sql`a.withdrawn_at is null and a.published_at <= ${now().toISOString()}`;

function matching(filter: ArticleFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.source) conditions.push(sql`a.source = ${filter.source}`);
  if (filter.category) {
    conditions.push(sql`a.id in (select ac.article_id from article_category ac join category c on c.id = ac.category_id
      where c.slug = ${filter.category})`);
  }
  for (const term of searchTerms(filter.search ?? '')) {
    // A union and not an OR: each half can then use its own index.
    conditions.push(sql`a.id in (select id from article where search_text like lower(${containing(term)})
      union all select ac.article_id from article_category ac join category c on c.id = ac.category_id
      where lower(c.name) like lower(${containing(term)}))`);
  }
  return conditions;
}

const newestFirst = sql.raw('a.published_at desc, a.id desc');

/**
 * `-published_at,headline` → an ORDER BY that is total. Unknown names are dropped, as the published API does;
 * the key comes last and runs the way of the name before it, so that one index serves both directions.
 */
function orderBy(ordering: string | null | undefined): RawBuilder<unknown> {
  if (!ordering) return newestFirst;
  const asked = ordering
    .split(',')
    .map(name => name.trim())
    .filter(name => orderings.has(name.replace(/^-/, '')));
  if (asked.length === 0) return newestFirst;
  const descending = asked.at(-1)?.startsWith('-') === true;
  const named = asked.map(name => (name.startsWith('-') ? `a.${name.slice(1)} desc` : `a.${name} asc`));
  // Raw, but nothing of the caller's: every name is one of `orderings`.
  return sql.raw([...named, descending ? 'a.id desc' : 'a.id asc'].join(', '));
}

/** The list behind `articles`. `ordering` and `search` have the grammar of the published API. */
export function articlesMatching(context: Context, filter: ArticleFilter): PageSource<ArticleRow> {
  const where = sql.join([visible(context), ...matching(filter)], sql` and `);
  return {
    rows: ({ limit, offset, wanted }) =>
      context.read(sql<ArticleRow>`select ${columnsFor(wanted)} from article a where ${where}
        order by ${orderBy(filter.ordering)} limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await context.read(
        sql<{ total: number }>`select count(*)::int as total from article a where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
}

/** What is wanted of one article, or null when it is absent or not to be seen. */
export async function articleById(context: Context, id: number, wanted: Selection): Promise<ArticleRow | null> {
  const [found] = await context.read(sql<ArticleRow>`select ${columnsFor(wanted)} from article a
    where a.id = ${id} and ${visible(context)}`);
  return found ?? null;
}

/** Up to three other articles that share most categories with each, the newest first among equals. */
export async function relatedArticles(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<ArticleRow[][]> {
  const found = await context.read(sql<ArticleRow & { of: number }>`
    select near.of, ${columnsFor(wanted)}
    from unnest(${ids}::bigint[]) as wanted(id)
    cross join lateral (
      select wanted.id as of, other.article_id, count(*) as shared
      from article_category own join article_category other using (category_id)
      join article a on a.id = other.article_id
      where own.article_id = wanted.id and other.article_id <> wanted.id and ${visible(context)}
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
export function allCategories({ read }: Pick<Context, 'read'>): Promise<CategoryRow[]> {
  return read(sql<CategoryRow>`select id, slug, name, description from category order by name, id`);
}
