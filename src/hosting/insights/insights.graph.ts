import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import {
  ApiActorConnection,
  type ApiActorUsage,
  ApiCallerSort,
  type ApiCallerSortName,
  ApiCounts,
  ApiInsights,
  ApiRouteConnection,
  ApiRouteSort,
  type ApiRouteSortName,
  type ApiRouteUsage,
  ApiSubjectConnection,
  type ApiSubjectUsage,
  ApiTimeBucket,
  SortDirection,
  type SortDirectionName,
} from '../../../schema/hosting/api-insights.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
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
import { maxBuckets, parseIncrement, parseTimeRange } from './time-range.ts';

@ArgsType()
class ApiInsightsArgs {
  @Field(() => String, { description: 'Login of the organization.' })
  organization!: string;

  @Field(() => DateTime, { description: 'Start of the time range. Its minute is counted as a whole.' })
  minTimestamp!: Date;

  @Field(() => DateTime, { nullable: true, description: 'End of the time range, excluded; now when null.' })
  maxTimestamp?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Actor type to count: `installation`, `classic_pat`, `fine_grained_pat`, `oauth_app`, `<brand>_app_user_to_server`; all when null.',
  })
  actorType?: string | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Database id of the actor to count; all when null.' })
  actorId?: number | null;

  @Field(() => String, { nullable: true, description: 'User to count, by database id or login; all when null.' })
  user?: string | null;
}

@ArgsType()
class OrderArgs extends ConnectionArgs {
  @Field(() => SortDirection, { defaultValue: SortDirection.DESC, description: 'Sort direction.' })
  direction!: SortDirectionName;

  @Field(() => String, {
    nullable: true,
    description: 'Text that the name or route must contain, case-insensitive; all when null.',
  })
  substring?: string | null;
}

@ArgsType()
class RouteArgs extends OrderArgs {
  @Field(() => [ApiRouteSort], {
    nullable: true,
    description: 'Sort keys; the total request count when empty or null.',
  })
  sort?: ApiRouteSortName[] | null;
}

@ArgsType()
class CallerArgs extends OrderArgs {
  @Field(() => [ApiCallerSort], {
    nullable: true,
    description: 'Sort keys; the total request count when empty or null.',
  })
  sort?: ApiCallerSortName[] | null;
}

/** Source object of ApiInsights: the filter, with the time range also under its published names. */
type ResolvedScope = InsightScope & { minTimestamp: Date; maxTimestamp: Date };

@Resolver()
export class ApiInsightRoots {
  @Access('api-insights:read')
  @Query(() => ApiInsights, {
    nullable: true,
    description:
      "Usage of the API by requests to an organization's resources; null when there is no such organization, user or actor type. Requests are counted with a delay of about one second.",
  })
  async apiInsights(
    @Args(() => ApiInsightsArgs) args: ApiInsightsArgs,
    @Ctx() context: Context,
  ): Promise<ResolvedScope | null> {
    const organization = await organizationFor(context, args.organization, 'api-insights:read');
    if (!organization) return null;
    const { from, to } = parseTimeRange(args.minTimestamp, args.maxTimestamp, context.now());
    const actorType = args.actorType == null ? undefined : parseActorType(args.actorType, context.config.HOSTING_BRAND);
    if (args.actorType != null && actorType === undefined) return null;
    const userId = args.user == null ? undefined : await resolveUserId(context, args.user);
    if (userId === null) return null;
    const actorId = args.actorId ?? undefined;
    return {
      organizationId: organization.id,
      from,
      to,
      minTimestamp: from,
      maxTimestamp: to,
      actorType,
      actorId,
      userId,
    };
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

const listOptions = <Sort>({
  sort,
  direction,
  substring,
}: OrderArgs & { sort?: Sort[] | null }): ListOptions<Sort> => ({
  sort: sort ?? [],
  direction,
  substring: substring ?? undefined,
});

@Resolver(() => ApiInsights)
export class ApiInsightFields {
  @Cost(20)
  @FieldResolver(() => ApiCounts, { description: 'Counts of all requests.' })
  summary(@Root() scope: ResolvedScope, @Ctx() context: Context): Promise<ApiCounts> {
    return summaryOf(context, scope);
  }

  @Cost(20)
  @FieldResolver(() => [ApiTimeBucket], {
    description: 'Counts in equal time steps, oldest first, including empty steps.',
  })
  timeSeries(
    @Arg('increment', () => String, {
      description: 'Length of a step: a whole number and `m`, `h` or `d`, such as `5m`. Steps are aligned to UTC.',
    })
    increment: string,
    @Arg('first', () => Int, {
      defaultValue: 1_000,
      description: 'Maximum number of steps, up to 10,000; a range with more steps is an error.',
    })
    first: number,
    @Root() scope: ResolvedScope,
    @Ctx() context: Context,
  ): Promise<ApiTimeBucket[]> {
    return seriesOf(context, scope, parseIncrement(increment, scope, Math.min(first, maxBuckets)));
  }

  @Cost(20)
  @FieldResolver(() => ApiRouteConnection, { description: 'Counts by route.' })
  routes(
    @Root() scope: ResolvedScope,
    @Args(() => RouteArgs) args: RouteArgs,
    @Ctx() context: Context,
  ): Connection<ApiRouteUsage> {
    return new Connection(ApiRouteConnection, routesOf(context, scope, listOptions(args)), args);
  }

  @Cost(20)
  @FieldResolver(() => ApiSubjectConnection, {
    description: 'Counts by subject: the user behind a request, or an app or workflow that acts for itself.',
  })
  subjects(
    @Root() scope: ResolvedScope,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Connection<ApiSubjectUsage> {
    return new Connection(ApiSubjectConnection, subjectsOf(context, scope, listOptions(args)), args);
  }

  @Cost(20)
  @FieldResolver(() => ApiActorConnection, { description: 'Counts by actor: the token or app that made the request.' })
  actors(
    @Root() scope: ResolvedScope,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Connection<ApiActorUsage> {
    return new Connection(ApiActorConnection, actorsOf(context, scope, listOptions(args)), args);
  }
}
