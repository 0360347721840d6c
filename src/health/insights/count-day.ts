import { type Kysely, type RawBuilder, sql } from 'kysely';

/** What is counted by day. */
export type CountedMetric = 'article_view' | 'registration' | 'companion_answer' | 'assessment';

/** Days that counts are kept, and the oldest days that are still counted. */
export const countRetentionDays = 90;

/**
 * People behind a count that is published. Fewer, together with what is known from elsewhere, can identify a person: who was the one with
 * an emergency on the day on which the neighbour came by ambulance. Ten is the smallest cell of the tables of many health statistics.
 */
export const minGroupSize = 10;

const dayMs = 24 * 60 * 60_000;

const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/**
 * Counts each of the last days that is over and not counted yet. A day is never counted again: if a deletion changed a count from ten to
 * nine, the difference would concern one person. For the same reason the current day has no counts.
 */
export async function countDays(
  transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => Promise<T>,
  now: Date,
): Promise<void> {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const days = Array.from({ length: countRetentionDays }, (_, index) => formatDay(today - (index + 1) * dayMs));
  const open = await transaction(async db => {
    await sql`delete from health_day_count where day < ${days.at(-1)}::date`.execute(db);
    await sql`delete from health_insight_day where day < ${days.at(-1)}::date`.execute(db);
    const { rows } = await sql<{ day: string }>`
      select d.day::text as day from unnest(${days}::date[]) as d (day)
      where not exists (select 1 from health_insight_day k where k.day = d.day) order by d.day`.execute(db);
    return rows.map(({ day }) => day);
  });
  for (const day of open) await transaction(db => countDay(db, day));
}

/** Counts one day, unless another process has. */
async function countDay(db: Kysely<unknown>, day: string): Promise<void> {
  const claimed = await sql`insert into health_insight_day (day) values (${day}::date) on conflict do nothing
    returning day`.execute(db);
  if (claimed.rows.length === 0) return;
  const within = (column: string): RawBuilder<unknown> => {
    const start = sql`${`${day} 00:00:00+00`}::timestamptz`;
    return sql`${sql.ref(column)} >= ${start} and ${sql.ref(column)} < ${start} + interval '24 hours'`;
  };
  const count = (metric: CountedMetric, rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select ${sql.lit(metric)}, ${day}::date, c.key, c.events from (${rows}) as c (key, events, people)
    where c.people >= ${sql.lit(minGroupSize)}`;
  await sql`insert into health_day_count (metric, day, key, events) ${sql.join(
    [
      // A view has no reader, and counts as one.
      count('article_view', sql`select category_id::text, views, views from article_view_day where day = ${day}::date`),
      count(
        'registration',
        sql`select '', count(*), count(*) from users where ${within('date_joined')} and not is_guest`,
      ),
      count(
        'companion_answer',
        sql`select safety, count(*), count(distinct user_id) from companion_message
          where ${within('created_at')} and role = 'assistant' group by safety`,
      ),
      count(
        'assessment',
        sql`select triage_level, count(*), count(distinct user_id) from assessment
          where ${within('created_at')} and status = 'completed' group by triage_level`,
      ),
    ],
    sql` union all `,
  )}`.execute(db);
  await sql`delete from article_view_day where day <= ${day}::date`.execute(db);
}
