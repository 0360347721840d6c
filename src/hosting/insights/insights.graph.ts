import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import {
  type ApiActorType,
  type ApiActorUsage,
  ApiActorUsageConnection,
  ApiCounts,
  ApiInsights,
  ApiRouteUsage,
  ApiRouteUsageConnection,
  type ApiSubjectUsage,
  ApiSubjectUsageConnection,
  ApiTimeBucket,
} from '../../../schema/hosting/api-insights.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import { RestOnly, RestOnlyArguments } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection, type ListSource } from '../../db/connection.ts';
import { type AccountRow, accountByLogin } from '../accounts/accounts.queries.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { parseActorType } from './api-usage-actor.ts';
import {
  actorsOf,
  type InsightScope,
  type ListOptions,
  routesOf,
  seriesOf,
  subjectsOf,
  summaryOf,
} from './insights.queries.ts';
import {
  CallerArgs,
  type OrderArgs,
  OrganizationUsageArgs,
  PublishedUsageArgs,
  RouteArgs,
  RouteSeriesArgs,
  SeriesArgs,
  type UsageFilterArgs,
} from './insights-args.ts';
import { routeSeries } from './route-series.ts';
import {
  graphNames,
  maxBuckets,
  parseIncrement,
  parseTimeRange,
  publishedNames,
  startOfRange,
  type TimeRangeNames,
} from './time-range.ts';

/** Source object of ApiInsights. */
type ApiInsightsSource = InsightScope & { names: TimeRangeNames };

async function usageOf(
  context: Context,
  organization: { id: number },
  args: UsageFilterArgs & { from: Date },
  actorType: ApiActorType | undefined,
  names: TimeRangeNames,
): Promise<ApiInsightsSource | null> {
  const { from, to } = parseTimeRange(args.from, args.to, context.now(), names);
  const userId = args.user == null ? undefined : await resolveUserId(context, args.user);
  if (userId === null) return null;
  return { organizationId: organization.id, from, to, actorType, actorId: args.actorId ?? undefined, userId, names };
}

@Resolver()
export class ApiInsightRoots {
  @RestOnly()
  @Access('api-insights:read')
  @Query(() => ApiInsights, {
    nullable: true,
    description: 'API usage of an organization; null if there is no such organization, user or actor type.',
  })
  async apiInsights(
    @Args(() => PublishedUsageArgs) args: PublishedUsageArgs,
    @Ctx() context: Context,
  ): Promise<ApiInsightsSource | null> {
    const organization = await organizationFor(context, args.organization, 'api-insights:read');
    if (!organization) return null;
    const { from, to } = args;
    parseTimeRange(from, to, context.now());
    const actorType = args.actorType == null ? undefined : parseActorType(args.actorType, context.config.HOSTING_BRAND);
    if (args.actorType != null && actorType === undefined) return null;
    return usageOf(context, organization, args, actorType, publishedNames);
  }
}

@Resolver(() => Organization)
export class OrganizationApiInsights {
  @Access('api-insights:read')
  @FieldResolver(() => ApiInsights, {
    nullable: true,
    description: 'API usage; null if you cannot read it. Requests are counted about a second late.',
  })
  async apiInsights(
    @Root() { login }: AccountRow,
    @Args(() => OrganizationUsageArgs) args: OrganizationUsageArgs,
    @Ctx() context: Context,
  ): Promise<ApiInsightsSource | null> {
    const organization = await organizationFor(context, login, 'api-insights:read');
    if (!organization) return null;
    const from = startOfRange(args, context.now());
    return usageOf(context, organization, { ...args, from }, args.actorType ?? undefined, graphNames);
  }
}

/**
 * Digits are a user id, also of a deleted user, so a login of digits alone cannot be used. Null when no user has this
 * login.
 */
async function resolveUserId(context: Context, text: string): Promise<number | null> {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return (await accountByLogin(context, text, new Map(), 'user'))?.databaseId ?? null;
}

type OrderedArgs<Sort> = OrderArgs & {
  sort?: Sort[] | null;
  orderBy?: { field: Sort; direction: OrderDirection }[] | null;
};

const listOptions = <Sort>({ sort, orderBy, direction, substring }: OrderedArgs<Sort>): ListOptions<Sort> => ({
  orderBy: orderBy ?? (sort ?? []).map(field => ({ field, direction })),
  direction,
  substring: substring ?? undefined,
});

@Resolver(() => ApiInsights)
export class ApiInsightFields {
  @Cost(20)
  @FieldResolver(() => ApiCounts, { description: 'Counts of all requests.' })
  summary(@Root() scope: ApiInsightsSource, @Ctx() context: Context): Promise<ApiCounts> {
    return summaryOf(context, scope);
  }

  @Cost(20)
  @FieldResolver(() => [ApiTimeBucket], {
    description: 'Counts in equal time steps, oldest first, including empty steps.',
  })
  timeSeries(
    @Args(() => SeriesArgs) { step, first }: SeriesArgs,
    @Root() scope: ApiInsightsSource,
    @Ctx() context: Context,
  ): Promise<ApiTimeBucket[]> {
    return seriesOf(context, scope, parseIncrement(step, scope, Math.min(first, maxBuckets), scope.names.step));
  }

  @Cost(20)
  @RestOnlyArguments('sort', 'direction')
  @FieldResolver(() => ApiRouteUsageConnection, { description: 'Counts by route.' })
  routes(
    @Root() scope: ApiInsightsSource,
    @Args(() => RouteArgs) args: RouteArgs,
    @Ctx() context: Context,
  ): Connection<RouteRow> {
    return new Connection(ApiRouteUsageConnection, withScope(routesOf(context, scope, listOptions(args)), scope), args);
  }

  @Cost(20)
  @RestOnlyArguments('sort', 'direction')
  @FieldResolver(() => ApiSubjectUsageConnection, {
    description: 'Counts by subject: the user behind a request, or an app or workflow that acts for itself.',
  })
  subjects(
    @Root() scope: ApiInsightsSource,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Connection<ApiSubjectUsage> {
    return new Connection(ApiSubjectUsageConnection, subjectsOf(context, scope, listOptions(args)), args);
  }

  @Cost(20)
  @RestOnlyArguments('sort', 'direction')
  @FieldResolver(() => ApiActorUsageConnection, {
    description: 'Counts by actor: the token or app that made the request.',
  })
  actors(
    @Root() scope: ApiInsightsSource,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Connection<ApiActorUsage> {
    return new Connection(ApiActorUsageConnection, actorsOf(context, scope, listOptions(args)), args);
  }
}

/** Row of a route, with the filter that it was counted by. */
type RouteRow = ApiRouteUsage & { scope: ApiInsightsSource };

const withScope = (routes: ListSource<ApiRouteUsage>, scope: ApiInsightsSource): ListSource<RouteRow> => ({
  rows: async page => (await routes.rows(page)).map(row => Object.assign(row, { scope })),
  total: () => routes.total(),
});

@Resolver(() => ApiRouteUsage)
export class ApiRouteUsageFields {
  @Cost(1)
  @FieldResolver(() => [ApiTimeBucket], {
    nullable: true,
    description: 'Counts in equal time steps, oldest first, including empty steps.',
  })
  timeSeries(
    @Root() { scope, method, route }: RouteRow,
    @Args(() => RouteSeriesArgs) { step, first }: RouteSeriesArgs,
    @Ctx() context: Context,
  ): Promise<ApiTimeBucket[]> {
    const buckets = parseIncrement(step, scope, Math.min(first, maxBuckets), scope.names.step);
    return routeSeries(context, scope, buckets).load({ method, route });
  }
}
