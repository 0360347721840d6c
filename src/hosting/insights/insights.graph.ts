import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import {
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
import type { Context } from '../../context/context.ts';
import { Connection, type ListSource } from '../../db/connection.ts';
import { type AccountRow, accountByLogin, mayReadField } from '../accounts/accounts.queries.ts';
import {
  actorsOf,
  type InsightScope,
  type ListOptions,
  routesOf,
  seriesOf,
  subjectsOf,
  summaryOf,
} from './insights.queries.ts';
import { CallerArgs, OrganizationUsageArgs, RouteArgs, RouteSeriesArgs, SeriesArgs } from './insights-args.ts';
import { routeSeries } from './route-series.ts';
import { endOfRange, maxBuckets, parseIncrement, parseTimeRange, startOfRange } from './time-range.ts';

@Resolver(() => Organization)
export class OrganizationApiInsights {
  @Access('api-insights:read')
  @FieldResolver(() => ApiInsights, {
    nullable: true,
    description:
      'API usage; null if you cannot read it, or if there is no such user. Requests are counted about a second late.',
  })
  async apiInsights(
    @Root() row: AccountRow,
    @Args(() => OrganizationUsageArgs) { actorType, actorId, user, ...period }: OrganizationUsageArgs,
    @Ctx() context: Context,
  ): Promise<InsightScope | null> {
    if (!mayReadField(context, row, 'apiInsights')) return null;
    const now = context.now();
    const start = startOfRange(period, now);
    const { from, to } = parseTimeRange(start, period.to ?? endOfRange(start, period.endsDaysAgo, now), now);
    const userId = user == null ? undefined : await resolveUserId(context, user);
    if (userId === null) return null;
    const actor = { actorType: actorType ?? undefined, actorId: actorId ?? undefined };
    return { organizationId: row.databaseId, from, to, ...actor, userId };
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

interface ListArgs<Sort> {
  substring?: string | null;
  orderBy?: { fields: Sort[]; direction: OrderDirection }[] | null;
}

const listOptions = <Sort>({ orderBy, substring }: ListArgs<Sort>): ListOptions<Sort> => ({
  orderBy: orderBy ?? [],
  substring: substring ?? undefined,
});

@Resolver(() => ApiInsights)
export class ApiInsightFields {
  @Cost(20)
  @FieldResolver(() => ApiCounts, { description: 'Counts of all requests.' })
  summary(@Root() scope: InsightScope, @Ctx() context: Context): Promise<ApiCounts> {
    return summaryOf(context, scope);
  }

  @Cost(20)
  @FieldResolver(() => [ApiTimeBucket], {
    description: 'Counts in equal time steps, oldest first, including empty steps.',
  })
  timeSeries(
    @Args(() => SeriesArgs) { step, first }: SeriesArgs,
    @Root() scope: InsightScope,
    @Ctx() context: Context,
  ): Promise<ApiTimeBucket[]> {
    return seriesOf(context, scope, parseIncrement(step, scope, Math.min(first, maxBuckets)));
  }

  @Cost(20)
  @FieldResolver(() => ApiRouteUsageConnection, { description: 'Counts by route.' })
  routes(
    @Root() scope: InsightScope,
    @Args(() => RouteArgs) args: RouteArgs,
    @Ctx() context: Context,
  ): Connection<RouteRow> {
    return new Connection(ApiRouteUsageConnection, withScope(routesOf(context, scope, listOptions(args)), scope), args);
  }

  @Cost(20)
  @FieldResolver(() => ApiSubjectUsageConnection, {
    description: 'Counts by subject: the user behind a request, or an app or workflow that acts for itself.',
  })
  subjects(
    @Root() scope: InsightScope,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Connection<ApiSubjectUsage> {
    return new Connection(ApiSubjectUsageConnection, subjectsOf(context, scope, listOptions(args)), args);
  }

  @Cost(20)
  @FieldResolver(() => ApiActorUsageConnection, {
    description: 'Counts by actor: the token or app that made the request.',
  })
  actors(
    @Root() scope: InsightScope,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Connection<ApiActorUsage> {
    return new Connection(ApiActorUsageConnection, actorsOf(context, scope, listOptions(args)), args);
  }
}

/** Row of a route, with the filter that it was counted by. */
type RouteRow = ApiRouteUsage & { scope: InsightScope };

const withScope = (routes: ListSource<ApiRouteUsage>, scope: InsightScope): ListSource<RouteRow> => ({
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
    const buckets = parseIncrement(step, scope, Math.min(first, maxBuckets));
    return routeSeries(context, scope, buckets).load({ method, route });
  }
}
