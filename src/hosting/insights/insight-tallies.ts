import { type Kysely, type RawBuilder, sql } from 'kysely';
import { deleteRows } from '../../db/row-batches.ts';

/** What is counted of the whole installation: see the migration `058-service-insights`. */
export type TalliedMetric = 'api_actor_type' | 'api_organization' | 'api_route' | 'delivery' | 'rule';

/** Days that counts are kept. */
export const tallyRetentionDays = 90;

const metrics: readonly TalliedMetric[] = ['api_actor_type', 'api_organization', 'api_route', 'delivery', 'rule'];

/** SQL: start of the hour or of the UTC day of a moment, as buckets of the metric have it. */
export const bucketOf = (size: 'hour' | 'day', at: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`date_trunc(${sql.lit(size)}, ${at}, 'UTC')`;

/**
 * Sums the counts that were appended since the last run, and deletes expired ones. Nothing changes for readers: one statement takes the
 * rows and writes their sums. Concurrent runs take different rows. `limit`: of buckets and of expired rows, null for all; the result is that
 * of a `RowBatch`.
 */
export async function compactInsightTallies(
  db: Kysely<unknown>,
  now: Date,
  limit: number | null = null,
): Promise<number> {
  const { rows } = await sql<{ buckets: number }>`
    with changed as materialized (select distinct metric, bucket from insight_tally where not is_sum limit ${limit}),
    taken as (
      delete from insight_tally t using changed c where t.metric = c.metric and t.bucket = c.bucket
      returning t.metric, t.bucket, t.key, t.outcome, t.events, t.seconds),
    summed as (insert into insight_tally (metric, bucket, key, outcome, events, seconds, is_sum)
      select metric, bucket, key, outcome, sum(events), sum(seconds), true from taken group by 1, 2, 3, 4)
    select count(*)::int as buckets from changed`.execute(db);
  const before = new Date(now.getTime() - tallyRetentionDays * 24 * 60 * 60_000);
  const expired = sql`metric = any(${[...metrics]}::text[]) and bucket < ${bucketOf('day', sql`${before}::timestamptz`)}`;
  return Math.max(rows[0]?.buckets ?? 0, await deleteRows(db, 'insight_tally', expired, limit));
}
