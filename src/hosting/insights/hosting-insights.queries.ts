import { type RawBuilder, sql } from 'kysely';
import type {
  ApiActorTypeCounts,
  ApiOrganizationCounts,
  ApiRouteCounts,
  ApiStepCounts,
  DeliveryStepCounts,
  InsightStep,
  RuleDayCounts,
  SourceImportCounts,
} from '../../../schema/hosting/hosting-insights.ts';
import type { Context } from '../../context/context.ts';
import { bucketOf, type TalliedMetric } from './insight-tallies.ts';
import type { TimeRange } from './time-range.ts';

/** Rows of a list of routes or organizations, those with most requests first. */
export const maxNames = 100;

type Reader = Pick<Context, 'read'>;

/** SQL condition over `t` (insight_tally), which its index serves. */
const within = (metric: TalliedMetric, { from, to }: TimeRange): RawBuilder<unknown> =>
  sql`t.metric = ${sql.lit(metric)} and t.bucket >= ${from.toISOString()}::timestamptz
    and t.bucket < ${to.toISOString()}::timestamptz`;

const statusCounts = sql.raw(`sum(t.events)::bigint as "requestCount",
  coalesce(sum(t.events) filter (where t.outcome = 'limited'), 0)::bigint as "limitedCount",
  coalesce(sum(t.events) filter (where t.outcome = 'client_error'), 0)::bigint as "clientErrorCount",
  coalesce(sum(t.events) filter (where t.outcome = 'server_error'), 0)::bigint as "serverErrorCount"`);

/** Counts by steps that have requests, oldest first. */
export const requestsByStep = ({ read }: Reader, range: TimeRange, step: InsightStep): Promise<ApiStepCounts[]> =>
  read(sql<ApiStepCounts>`
    select ${bucketOf(step, sql`t.bucket`)} as "startsAt", ${statusCounts} from insight_tally t
    where ${within('api_actor_type', range)} group by 1 order by 1`);

export const requestsByActorType = ({ read }: Reader, range: TimeRange): Promise<ApiActorTypeCounts[]> =>
  read(sql<ApiActorTypeCounts>`
    select t.key as "actorType", ${statusCounts} from insight_tally t
    where ${within('api_actor_type', range)} group by t.key order by "requestCount" desc, t.key`);

export const requestsByRoute = ({ read }: Reader, range: TimeRange): Promise<ApiRouteCounts[]> =>
  read(sql<ApiRouteCounts>`
    select split_part(t.key, ' ', 1) as method, substr(t.key, strpos(t.key, ' ') + 1) as route, ${statusCounts}
    from insight_tally t where ${within('api_route', range)}
    group by t.key order by "requestCount" desc, t.key limit ${maxNames}`);

/** Organizations that still exist. */
export const requestsByOrganization = ({ read }: Reader, range: TimeRange): Promise<ApiOrganizationCounts[]> =>
  read(sql<ApiOrganizationCounts>`
    select a.login as "organizationLogin", c.*
    from (select t.key::bigint as id, ${statusCounts} from insight_tally t
      where ${within('api_organization', range)} group by t.key) c
    join account a on a.id = c.id and a.kind = 'organization'
    order by c."requestCount" desc, c.id limit ${maxNames}`);

export const ruleResultsByDay = ({ read }: Reader, range: TimeRange): Promise<RuleDayCounts[]> =>
  read(sql<RuleDayCounts>`
    select t.bucket as "startsAt", t.key as "ruleType",
      coalesce(sum(t.events) filter (where t.outcome = 'pass'), 0)::bigint as "passCount",
      coalesce(sum(t.events) filter (where t.outcome = 'fail'), 0)::bigint as "failCount",
      coalesce(sum(t.events) filter (where t.outcome = 'bypass'), 0)::bigint as "bypassCount"
    from insight_tally t where ${within('rule', range)} group by t.bucket, t.key order by t.bucket, t.key`);

export const deliveriesByStep = (
  { read }: Reader,
  range: TimeRange,
  step: InsightStep,
): Promise<DeliveryStepCounts[]> =>
  read(sql<DeliveryStepCounts>`
    select ${bucketOf(step, sql`t.bucket`)} as "startsAt", t.key as answer, sum(t.events)::bigint as "deliveryCount",
      coalesce(sum(t.events) filter (where t.outcome = 'slow'), 0)::bigint as "slowCount",
      sum(t.seconds) / sum(t.events) as "averageDuration"
    from insight_tally t where ${within('delivery', range)} group by 1, t.key order by 1, t.key`);

/** Imports that were started in the period, by their state now. */
export const importsByState = ({ read }: Reader, { from, to }: TimeRange): Promise<SourceImportCounts[]> =>
  read(sql<SourceImportCounts>`
    select i.status, count(*)::int as "importCount" from source_import i
    where i.created_at >= ${from.toISOString()}::timestamptz and i.created_at < ${to.toISOString()}::timestamptz
    group by i.status order by "importCount" desc, i.status`);
