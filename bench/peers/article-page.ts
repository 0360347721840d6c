import pg from 'pg';

/** What the hand-written REST servers share: two prepared statements and the envelope of the contract. */

// Ids and counts are published as JSON numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const pageSize = 20;

export const visible = 'withdrawn_at is null and published_at <= now()';

/** The ids of the page first, from an index alone: a skipped row costs no columns and no categories. */
const rowsOfPage = {
  name: 'rows',
  text: `
    with page as (
      select id from article where ${visible} order by published_at desc, id desc limit ${pageSize} offset $1)
    select a.id, a.headline, a.summary, a.image_url, a.author, a.source, a.source_url,
      (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug) order by c.name, c.id), '[]')
         from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id) as categories,
      a.read_time_minutes, to_char(a.published_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as published_at,
      a.like_count, a.comment_count, false as is_liked, false as is_bookmarked
    from page join article a using (id) order by a.published_at desc, a.id desc`,
};

const countOfArticles = { name: 'count', text: `select count(*) as count from article where ${visible}` };

export const openPool = (url: string): pg.Pool =>
  new pg.Pool({ connectionString: url, max: 10, options: '-c timezone=UTC' });

export const notFound = { detail: 'Invalid page.', code: 'not_found' };

/** The number of a page; undefined where the parameter is not one. */
export function pageNumber(text: unknown): number | undefined {
  if (text === undefined) return 1;
  const page = Number(text);
  return Number.isInteger(page) && page >= 1 && page < 2 ** 31 ? page : undefined;
}

const link = (list: string, page: number): string => (page === 1 ? list : `${list}?page=${page}`);

/** A page with its count and links, or undefined beyond the last one. @param list absolute URL of the list */
export async function articlePage(pool: pg.Pool, list: string, page: number): Promise<object | undefined> {
  const [rows, counted] = await Promise.all([
    pool.query({ ...rowsOfPage, values: [(page - 1) * pageSize] }),
    pool.query<{ count: number }>(countOfArticles),
  ]);
  const count = counted.rows[0]?.count ?? 0;
  const last = Math.max(1, Math.ceil(count / pageSize));
  if (page > last) return undefined;
  return {
    count,
    next: page < last ? link(list, page + 1) : null,
    previous: page > 1 ? link(list, page - 1) : null,
    results: rows.rows,
  };
}
