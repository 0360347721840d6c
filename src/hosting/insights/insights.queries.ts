import { type RawBuilder, sql } from 'kysely';
import type {
  ApiActorUsage,
  ApiCallerSortName,
  ApiCounts,
  ApiRouteSortName,
  ApiRouteUsage,
  ApiSubjectUsage,
  ApiTimeBucket,
} from '../../../schema/hosting/api-insights.ts';
import { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import type { ApiUsageActorType } from './api-usage-actor.ts';
import type { Buckets, TimeRange } from './time-range.ts';

/** Filter of all insight queries: an organization, a time range, and optionally an actor type, an actor and a user. */
export interface InsightScope extends TimeRange {
  organizationId: number;
  actorType: ApiUsageActorType | undefined;
  actorId: number | undefined;
  userId: number | undefined;
}

/** Sort order of a list, and the text that names or routes must contain, case-insensitive. */
export interface ListOptions<Sort> {
  /** Without fields by the number of requests. */
  orderBy: readonly { fields: readonly Sort[]; direction: OrderDirection }[];
  substring: string | undefined;
}

type QueryContext = Pick<Context, 'read' | 'config'>;

/**
 * SQL condition over `u` (api_usage). Rows are minutes, or hours for old days. The minute or hour of `from` counts as a
 * whole, so that a range that begins at a request contains it.
 */
function scopeCondition({ organizationId, from, to, actorType, actorId, userId }: InsightScope): RawBuilder<unknown> {
  const floor = (size: number): string => new Date(Math.floor(from.getTime() / size) * size).toISOString();
  const conditions = [
    sql`u.org_id = ${organizationId} and u.bucket < ${to.toISOString()}::timestamptz
      and u.bucket >= ${floor(3_600_000)}::timestamptz
      and (u.minutes = 60 or u.bucket >= ${floor(60_000)}::timestamptz)`,
    ...(actorType === undefined ? [] : [sql`u.actor_type = ${actorType}`]),
    ...(actorId === undefined ? [] : [sql`u.actor_id = ${actorId}`]),
    // `user_id <> 0` is the predicate of the partial index.
    ...(userId === undefined ? [] : [sql`u.user_id = ${userId} and u.user_id <> 0`]),
  ];
  return sql.join(conditions, sql` and `);
}

const counts = sql.raw(`coalesce(sum(u.total), 0)::bigint as "requestCount",
  coalesce(sum(u.limited), 0)::bigint as "limitedCount"`);
const lastTimes = sql.raw('max(u.last_request) as "lastRequestAt", max(u.last_limited) as "lastLimitedAt"');

/** Counts of the whole range. */
export async function summaryOf({ read }: QueryContext, scope: InsightScope): Promise<ApiCounts> {
  const [found] = await read(sql<ApiCounts>`select ${counts} from api_usage u where ${scopeCondition(scope)}`);
  return found ?? { requestCount: 0, limitedCount: 0 };
}

/**
 * SQL: start of the step that a row falls into. date_bin uses integer microseconds. Dividing the epoch, which is numeric, took twice
 * as long as the rest of the query.
 */
const binOf = ({ sizeMs }: Buckets): RawBuilder<unknown> =>
  sql`date_bin(${`${sizeMs / 1_000} seconds`}::interval, u.bucket, 'epoch'::timestamptz)`;

function withEmptySteps(
  rows: readonly (ApiCounts & { step: number })[],
  { sizeMs, firstMs, count }: Buckets,
): ApiTimeBucket[] {
  const found = new Map(rows.map(row => [row.step, row]));
  return Array.from({ length: count }, (_, index) => {
    const at = firstMs + index * sizeMs;
    const { requestCount = 0, limitedCount = 0 } = found.get(at) ?? {};
    return { startsAt: new Date(at), requestCount, limitedCount };
  });
}

/** Counts by equal time steps, including empty ones. */
export async function seriesOf(
  { read }: QueryContext,
  scope: InsightScope,
  buckets: Buckets,
): Promise<ApiTimeBucket[]> {
  const rows = await read(sql<ApiCounts & { step: number }>`
    select (extract(epoch from s.at) * 1000)::bigint as step, s."requestCount", s."limitedCount"
    from (select ${binOf(buckets)} as at, ${counts} from api_usage u where ${scopeCondition(scope)} group by 1) s`);
  return withEmptySteps(rows, buckets);
}

/**
 * Counts of routes by equal time steps, in one statement for all of them; in the order of the routes.
 * @param routes method and path pattern of each
 */
export async function seriesByRoute(
  { read }: QueryContext,
  scope: InsightScope,
  buckets: Buckets,
  routes: readonly { method: string; route: string }[],
): Promise<ApiTimeBucket[][]> {
  const [methods, patterns] = [routes.map(one => one.method), routes.map(one => one.route)];
  const rows = await read(sql<ApiCounts & { step: number; method: string; route: string }>`
    select (extract(epoch from s.at) * 1000)::bigint as step, s.method, s.route, s."requestCount", s."limitedCount"
    from (select ${binOf(buckets)} as at, u.method, u.route, ${counts}
      from api_usage u join (select distinct * from unnest(${methods}::text[], ${patterns}::text[]) as k(method, route)) k
        on k.method = u.method and k.route = u.route
      where ${scopeCondition(scope)} group by 1, 2, 3) s`);
  const byRoute = new Map<string, (ApiCounts & { step: number })[]>();
  for (const row of rows) {
    const key = `${row.method} ${row.route}`;
    const list = byRoute.get(key) ?? [];
    list.push(row);
    byRoute.set(key, list);
  }
  return routes.map(({ method, route }) => withEmptySteps(byRoute.get(`${method} ${route}`) ?? [], buckets));
}

/** Counts by route. */
export function routesOf(
  context: QueryContext,
  scope: InsightScope,
  listing: ListOptions<ApiRouteSortName>,
): ListSource<ApiRouteUsage> {
  const rows = sql<ApiRouteUsage>`
    select u.method, u.route, ${counts}, ${lastTimes}
    from api_usage u where ${scopeCondition(scope)} group by u.method, u.route`;
  const columns = { ...countColumns, http_method: 'method', api_route: 'route' };
  return groupedPage(context, rows, 'route', columns, ['route', 'method'], listing);
}

const isOwnSubject = "u.actor_type in ('installation', 'workflow')";

/** Counts by subject: the user behind a request, or an app or workflow that acts for itself. */
export function subjectsOf(
  context: QueryContext,
  scope: InsightScope,
  listing: ListOptions<ApiCallerSortName>,
): ListSource<ApiSubjectUsage> {
  const rows = sql<ApiSubjectUsage>`
    select c.*, coalesce(case c.type
        when 'installation' then (select p.name from app p where p.id = c."integrationId")
        when 'workflow' then (select o.login || '/' || r.name from repository r join account o on o.id = r.owner_id
          where r.id = c."subjectId")
        else (select a.login from account a where a.id = c."subjectId") end, 'ghost') as "subjectName"
    from (select ${sql.raw(`case when ${isOwnSubject} then u.actor_type else 'user' end`)} as type,
        ${sql.raw(`case when ${isOwnSubject} then u.actor_id else u.user_id end`)} as "subjectId",
        max(u.integration_id) filter (where u.actor_type = 'installation') as "integrationId", ${counts}, ${lastTimes}
      from api_usage u where ${scopeCondition(scope)} group by 1, 2) c`;
  const columns = { ...countColumns, subject_name: 'subjectName' };
  return groupedPage(context, rows, 'subjectName', columns, ['type', 'subjectId'], listing);
}

/** Counts by actor: the token or app that made the request. */
export function actorsOf(
  context: QueryContext,
  scope: InsightScope,
  listing: ListOptions<ApiCallerSortName>,
): ListSource<ApiActorUsage> {
  const rows = sql<ApiActorUsage>`
    select c.type, case c.type when 'user_to_server' then ${`${context.config.HOSTING_BRAND}_app_user_to_server`} else c.type end as "publishedType",
      c."actorId", c."integrationId", c."requestCount", c."limitedCount", c."lastRequestAt",
      c."lastLimitedAt", case c.type when 'oauth_app' then c."actorId" end as "oauthApplicationId",
      coalesce(case
        when c.type in ('classic_pat', 'fine_grained_pat')
          then coalesce((select nullif(h.note, '') from host_credential h where h.id = c."actorId"), 'token ' || c."actorId")
        when c.type = 'oauth_app' then (select p.name from oauth_app p where p.id = c."actorId")
        when c.type = 'workflow' then (select o.login || '/' || r.name from repository r join account o on o.id = r.owner_id
          where r.id = c."actorId")
        else (select p.name from app p where p.id = c."integrationId") end, 'ghost') as "actorName"
    from (select u.actor_type as type, u.actor_id as "actorId", max(u.integration_id) as "integrationId",
        ${counts}, ${lastTimes}
      from api_usage u where ${scopeCondition(scope)} group by 1, 2) c`;
  const columns = { ...countColumns, subject_name: 'actorName' };
  return groupedPage(context, rows, 'actorName', columns, ['publishedType', 'actorId'], listing);
}

const countColumns = {
  total_request_count: 'requestCount',
  rate_limited_request_count: 'limitedCount',
  last_request_timestamp: 'lastRequestAt',
  last_rate_limited_timestamp: 'lastLimitedAt',
} as const;

/** A page of grouped rows. Ties are broken by `last`, the key of a group. */
function groupedPage<Row, Sort extends string>(
  { read }: QueryContext,
  rows: RawBuilder<Row>,
  name: string,
  columns: Record<Sort, string>,
  tieBreakers: readonly string[],
  { orderBy, substring }: ListOptions<Sort>,
): ListSource<Row> {
  const matches =
    substring === undefined || substring === ''
      ? sql`true`
      : sql`strpos(lower(x.${sql.ref(name)}), lower(${substring})) > 0`;
  const byCount = 'total_request_count' as Sort;
  const given = orderBy.length > 0 ? orderBy : [{ fields: [], direction: OrderDirection.DESC }];
  const wanted = given.flatMap(({ fields, direction }) =>
    (fields.length > 0 ? fields : [byCount]).map(field => ({ field, direction })),
  );
  const first = new Map(wanted.toReversed().map(one => [one.field, one.direction]));
  const order = [
    ...[...new Set(wanted.map(one => one.field))].map(field => {
      const column = sql`x.${sql.ref(columns[field])}`;
      // Never limited sorts lowest.
      const way = first.get(field) === 'asc' ? sql`asc nulls first` : sql`desc nulls last`;
      // Case-insensitive, in an order that does not depend on the server's locale.
      return field === 'subject_name' ? sql`lower(${column}) collate "C" ${way}` : sql`${column} ${way}`;
    }),
    ...tieBreakers.map(one => sql`x.${sql.ref(one)}`),
  ];
  // Grouping is the expensive part, and the page query counts the groups too. Only a page beyond the last one needs a
  // separate count.
  let pageRows: Promise<(Row & { groups: number })[]> | undefined;
  return {
    rows({ limit, offset }) {
      pageRows = read(sql<Row & { groups: number }>`
        select x.*, count(*) over ()::int as groups from (${rows}) x where ${matches}
        order by ${sql.join(order)} limit ${limit} offset ${offset}`);
      return pageRows;
    },
    async total() {
      const [first] = (await pageRows) ?? [];
      if (first) return first.groups;
      const [found] = await read(
        sql<{ total: number }>`select count(*)::int as total from (${rows}) x where ${matches}`,
      );
      return found?.total ?? 0;
    },
  };
}
