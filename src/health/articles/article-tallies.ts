import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Landmark } from '../lists/table-page.ts';

/** A part of all published articles, whose length is kept. */
export interface ArticleSubset {
  /** Publisher; all by default. */
  source?: string | null | undefined;
  /** SQL expression of the category; all by default. */
  category?: RawBuilder<unknown> | undefined;
}

/** Month of `now`, in which articles become visible: earlier months are summed, this one is counted. */
const currentMonth = ({ now }: Pick<Context, 'now'>): string => `${now().toISOString().slice(0, 7)}-01`;

const tallied = ({ source, category = sql`0` }: ArticleSubset, month: string): RawBuilder<unknown> =>
  sql`article_tally where source = ${source ?? ''} and category_id = ${category} and month < ${month}::date`;

/** Number of visible articles of the current month. */
function countOfMonth(
  { now }: Pick<Context, 'now'>,
  { source, category }: ArticleSubset,
  month: string,
): RawBuilder<unknown> {
  const from = category === undefined ? sql`article` : sql`article_category`;
  const conditions = [
    sql`withdrawn_at is null and published_at >= ${`${month}T00:00:00Z`} and published_at <= ${now().toISOString()}`,
    ...(source ? [sql`source = ${source}`] : []),
    ...(category ? [sql`category_id = ${category}`] : []),
  ];
  return sql`select count(*) from ${from} where ${sql.join(conditions, sql` and `)}`;
}

/** Statement that counts the visible articles of a list: `total`. */
export function countArticles(context: Pick<Context, 'now'>, list: ArticleSubset): RawBuilder<{ total: number }> {
  const month = currentMonth(context);
  return sql`select (coalesce((select sum(articles) from ${tallied(list, month)}), 0)
    + (${countOfMonth(context, list, month)}))::int as total`;
}

/**
 * The first month, from the newest on, in which an offset falls: at most the articles of one month are skipped one by one.
 * @param publishedAt SQL expression that the list is ordered by, newest first
 */
export function monthLandmark(
  context: Pick<Context, 'now'>,
  list: ArticleSubset,
  publishedAt: RawBuilder<unknown>,
  isReversed: boolean,
): Landmark {
  const month = currentMonth(context);
  return {
    isReversed,
    at: offset => ({
      with: sql`with month as (
        select month, sum(articles) as articles from ${tallied(list, month)} group by month
        union all select ${month}::date, (${countOfMonth(context, list, month)})
      ), skipped as materialized (
        select month::timestamp at time zone 'UTC' as month, articles
        from (select month, sum(articles) over (order by month desc) as articles from month) running
        where articles <= ${offset} order by month limit 1
      )`,
      where: sql`${publishedAt} < coalesce((select month from skipped), 'infinity')`,
      offset: sql`${offset}::bigint - coalesce((select articles from skipped), 0)::bigint`,
    }),
  };
}

/** Sums the tallies that were appended for the same month. Nothing changes for readers, and concurrent runs sum different rows. */
export async function compactArticleTallies(db: Kysely<unknown>): Promise<void> {
  await sql`
    with taken as (
      delete from article_tally where (source, category_id, month) in (
        select source, category_id, month from article_tally group by source, category_id, month
        having count(*) > 1 or sum(articles) = 0)
      returning source, category_id, month, articles
    )
    insert into article_tally select source, category_id, month, sum(articles) from taken
    group by source, category_id, month having sum(articles) <> 0`.execute(db);
}
