import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import {
  ApiActorPage,
  ApiCallerSort,
  type ApiCallerSortName,
  ApiCounts,
  ApiInsights,
  ApiRoutePage,
  ApiRouteSort,
  type ApiRouteSortName,
  ApiSubjectPage,
  ApiTimeBucket,
  SortDirection,
  type SortDirectionName,
} from '../../../schema/hosting/api-insights.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import { Instant } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { parseActorType } from './api-usage-actor.ts';
import {
  type ActorRow,
  actorsOf,
  type BucketRow,
  type CountsRow,
  type InsightScope,
  type ListOptions,
  type RouteRow,
  routesOf,
  type SubjectRow,
  seriesOf,
  subjectsOf,
  summaryOf,
} from './insights.queries.ts';
import { maxBuckets, parseIncrement, parseTimeRange } from './time-range.ts';

@ArgsType()
class ApiInsightsArgs {
  @Field(() => String, { description: 'Login of the organization.' })
  organization!: string;

  @Field(() => Instant, { description: 'When the time begins. A minute that lies in it in part counts whole.' })
  minTimestamp!: Date;

  @Field(() => Instant, { nullable: true, description: 'When the time ends: now, where it is left out.' })
  maxTimestamp?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Only requests made with this: `installation`, `classic_pat`, `fine_grained_pat`, `oauth_app`, `<brand>_app_user_to_server`.',
  })
  actorType?: string | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Only requests made with the one of this number.' })
  actorId?: number | null;

  @Field(() => String, { nullable: true, description: 'Only requests of this user: their number, or their login.' })
  user?: string | null;
}

@ArgsType()
class OrderArgs extends PageArgs {
  @Field(() => SortDirection, { defaultValue: SortDirection.DESC, description: 'Which comes first.' })
  direction!: SortDirectionName;

  @Field(() => String, { nullable: true, description: 'Only those whose name or route holds this, whatever the case.' })
  substring?: string | null;
}

@ArgsType()
class RouteArgs extends OrderArgs {
  @Field(() => [ApiRouteSort], { nullable: true, description: 'What they are put in order by; the total if nothing.' })
  sort?: ApiRouteSortName[] | null;
}

@ArgsType()
class CallerArgs extends OrderArgs {
  @Field(() => [ApiCallerSort], { nullable: true, description: 'What they are put in order by; the total if nothing.' })
  sort?: ApiCallerSortName[] | null;
}

/** What fields of ApiInsights find: what was asked about, and its ends under their published names. */
type ResolvedScope = InsightScope & { minTimestamp: Date; maxTimestamp: Date };

@Resolver()
export class ApiInsightRoots {
  @Access('api-insights:read')
  @Query(() => ApiInsights, {
    nullable: true,
    description:
      'What was asked of an organization through the API; null where there is no such organization, user or kind of actor. Counts come about a second after the requests.',
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

/** Digits are a number, also of a user who is gone; a login of digits alone cannot be asked for. Null where nobody has it. */
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
  @FieldResolver(() => ApiCounts, { description: 'All requests.' })
  summary(@Root() scope: ResolvedScope, @Ctx() context: Context): Promise<CountsRow> {
    return summaryOf(context, scope);
  }

  @Cost(20)
  @FieldResolver(() => [ApiTimeBucket], {
    description: 'Requests by equal steps of time, oldest first, those without any request too.',
  })
  timeSeries(
    @Arg('increment', () => String, {
      description: 'Length of a step: a whole number and `m`, `h` or `d`, such as `5m`. Steps are aligned to UTC.',
    })
    increment: string,
    @Arg('first', () => Int, {
      defaultValue: 1_000,
      description: 'Most steps, up to 10,000; a time that has more is refused.',
    })
    first: number,
    @Root() scope: ResolvedScope,
    @Ctx() context: Context,
  ): Promise<BucketRow[]> {
    return seriesOf(context, scope, parseIncrement(increment, scope, Math.min(first, maxBuckets)));
  }

  @Cost(20)
  @FieldResolver(() => ApiRoutePage, { description: 'Requests by route.' })
  routes(
    @Root() scope: ResolvedScope,
    @Args(() => RouteArgs) args: RouteArgs,
    @Ctx() context: Context,
  ): Page<RouteRow> {
    return new Page(routesOf(context, scope, listOptions(args)), args);
  }

  @Cost(20)
  @FieldResolver(() => ApiSubjectPage, {
    description: 'Requests by who is behind them: a user, whatever they use, or an app that acts for itself.',
  })
  subjects(
    @Root() scope: ResolvedScope,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Page<SubjectRow> {
    return new Page(subjectsOf(context, scope, listOptions(args)), args);
  }

  @Cost(20)
  @FieldResolver(() => ApiActorPage, { description: 'Requests by what they were made with: a token, or an app.' })
  actors(
    @Root() scope: ResolvedScope,
    @Args(() => CallerArgs) args: CallerArgs,
    @Ctx() context: Context,
  ): Page<ActorRow> {
    return new Page(actorsOf(context, scope, listOptions(args)), args);
  }
}
