import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Landmark } from '../lists/table-page.ts';

/** A part of all published articles, whose length is kept. */
export interface ArticleSubset {
  /** Publisher; all by default. */
  source?: string | null | undefined;
  /** SQL expression of the category; all by default. */
  category?: RawBuilder<unknown> | undefined;
  /** Greatest id; all by default. A placeholder of a compiled statement may stand for it. */
  newest?: number | undefined;
}

/** The time of a list. A placeholder of a compiled statement may stand for its text. */
export interface ListClock {
  now(): Pick<Date, 'toISOString'>;
}

/** SQL: start of the current month, UTC. */
const currentMonth = ({ now }: ListClock): RawBuilder<unknown> =>
  sql`date_trunc('month', ${now().toISOString()}::timestamptz at time zone 'UTC')`;

/** Articles until the end of the current month: those that are visible, and the scheduled ones of this month. */
const tallied = (clock: ListClock, { source, category = sql`0` }: ArticleSubset): RawBuilder<unknown> =>
  sql`article_tally where source = ${source ?? ''} and category_id = ${category} and month <= ${currentMonth(clock)}::date`;

/**
 * Number of articles of the current month that are not visible yet. They are counted, not the visible ones of this month: those
 * were 529 index entries of a list of 2,000 articles, one an hour, and a fifth of the time of the statement.
 */
function countOfScheduled(clock: ListClock, { source, category }: ArticleSubset): RawBuilder<unknown> {
  const from = category === undefined ? sql`article` : sql`article_category`;
  const conditions = [
    sql`withdrawn_at is null and published_at > ${clock.now().toISOString()}`,
    sql`published_at < (${currentMonth(clock)} + interval '1 month') at time zone 'UTC'`,
    ...(source ? [sql`source = ${source}`] : []),
    ...(category ? [sql`category_id = ${category}`] : []),
  ];
  return sql`select count(*) from ${from} where ${sql.join(conditions, sql` and `)}`;
}

/** FROM clause for the visible articles that were stored after the newest one of a list. */
function newerThan(clock: ListClock, { source, category, newest }: ArticleSubset): RawBuilder<unknown> {
  const [from, id] = category === undefined ? [sql`article`, sql`id`] : [sql`article_category`, sql`article_id`];
  const conditions = [
    sql`${id} > ${newest} and withdrawn_at is null and published_at <= ${clock.now().toISOString()}`,
    ...(source ? [sql`source = ${source}`] : []),
    ...(category ? [sql`category_id = ${category}`] : []),
  ];
  return sql`${from} where ${sql.join(conditions, sql` and `)}`;
}

/** Statement that counts the visible articles of a list: `total`. */
export function countArticles(clock: ListClock, list: ArticleSubset): RawBuilder<{ total: number }> {
  const newer = list.newest === undefined ? sql`` : sql` - (select count(*) from ${newerThan(clock, list)})`;
  return sql`select (coalesce((select sum(articles) from ${tallied(clock, list)}), 0)
    - (${countOfScheduled(clock, list)})${newer})::int as total`;
}

/**
 * The first month, from the newest on, in which an offset falls: at most the articles of one month are skipped one by one.
 * @param publishedAt SQL expression that the list is ordered by, newest first
 */
export function monthLandmark(
  clock: ListClock,
  list: ArticleSubset,
  publishedAt: RawBuilder<unknown>,
  isReversed: boolean,
): Landmark {
  const newer =
    list.newest === undefined
      ? sql``
      : sql`union all select date_trunc('month', published_at at time zone 'UTC')::date, -1 from ${newerThan(clock, list)}`;
  return {
    isReversed,
    at: offset => ({
      with: sql`with month as (
        select month, sum(articles) as articles from (
          select month, articles from ${tallied(clock, list)}
          union all select ${currentMonth(clock)}::date, -(${countOfScheduled(clock, list)}) ${newer}
        ) part group by month
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
