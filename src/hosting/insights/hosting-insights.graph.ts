import { Arg, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import {
  ApiActorTypeCounts,
  ApiOrganizationCounts,
  ApiRouteCounts,
  ApiStepCounts,
  DeliveryStepCounts,
  HostingInsights,
  InsightStep,
  RuleDayCounts,
  SourceImportCounts,
} from '../../../schema/hosting/hosting-insights.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import type { Context } from '../../context/context.ts';
import { badInput } from '../../errors/errors.ts';
import {
  deliveriesByStep,
  importsByState,
  maxNames,
  requestsByActorType,
  requestsByOrganization,
  requestsByRoute,
  requestsByStep,
  ruleResultsByDay,
} from './hosting-insights.queries.ts';
import { tallyRetentionDays } from './insight-tallies.ts';
import type { TimeRange } from './time-range.ts';

const dayMs = 24 * 60 * 60_000;
/** Days of a series by hours. */
const maxHourlyDays = 7;
/** Steps of a series: the days that are kept, or the hours of a week. */
const maxSteps = maxHourlyDays * 24;

const Step = () =>
  Arg('step', () => InsightStep, {
    defaultValue: InsightStep.DAY,
    description: `Length of a step; \`HOUR\` for periods of at most ${maxHourlyDays} days.`,
  });

/** @throws BAD_USER_INPUT for hours of more days than a week has */
function assertSteps({ from, to }: TimeRange, step: InsightStep): void {
  if (step !== InsightStep.HOUR || to.getTime() - from.getTime() <= maxHourlyDays * dayMs) return;
  throw badInput(`step HOUR is for periods of at most ${maxHourlyDays} days; send fewer days, or step DAY.`, 'step');
}

@Resolver()
export class HostingInsightRoots {
  @Access('service')
  @Query(() => HostingInsights, {
    nullable: true,
    description: 'Counts of code hosting across all accounts. For service credentials.',
  })
  hostingInsights(
    @Arg('days', () => Int, {
      defaultValue: 30,
      description: `Number of days in UTC, today included, 1 to ${tallyRetentionDays}.`,
    })
    days: number,
    @Ctx() { now }: Context,
  ): TimeRange {
    if (days < 1 || days > tallyRetentionDays) throw badInput(`days must be from 1 to ${tallyRetentionDays}.`, 'days');
    const to = now();
    const today = Math.floor(to.getTime() / dayMs) * dayMs;
    return { from: new Date(today - (days - 1) * dayMs), to };
  }
}

@Resolver(() => HostingInsights)
export class HostingInsightFields {
  @Cost(10)
  @ListSize(maxSteps)
  @FieldResolver(() => [ApiStepCounts], {
    description:
      'API requests by steps that have any, oldest first. Counted are requests that address an organization.',
  })
  apiRequests(@Root() range: TimeRange, @Step() step: InsightStep, @Ctx() context: Context): Promise<ApiStepCounts[]> {
    assertSteps(range, step);
    return requestsByStep(context, range, step);
  }

  @Cost(10)
  @ListSize(maxNames)
  @FieldResolver(() => [ApiRouteCounts], {
    description: `API requests by route, most requests first; at most ${maxNames} routes.`,
  })
  apiRoutes(@Root() range: TimeRange, @Ctx() context: Context): Promise<ApiRouteCounts[]> {
    return requestsByRoute(context, range);
  }

  @Cost(10)
  @ListSize(6)
  @FieldResolver(() => [ApiActorTypeCounts], {
    description: 'API requests by kind of credential, most requests first.',
  })
  apiActorTypes(@Root() range: TimeRange, @Ctx() context: Context): Promise<ApiActorTypeCounts[]> {
    return requestsByActorType(context, range);
  }

  @Cost(20)
  @ListSize(maxNames)
  @FieldResolver(() => [ApiOrganizationCounts], {
    description: `API requests by the organization that they address, most requests first; at most ${maxNames} organizations.`,
  })
  apiOrganizations(@Root() range: TimeRange, @Ctx() context: Context): Promise<ApiOrganizationCounts[]> {
    return requestsByOrganization(context, range);
  }

  @Cost(10)
  @ListSize(1_600)
  @FieldResolver(() => [RuleDayCounts], {
    description: 'Results of the rules for pushes by day and type, oldest first. Days without results are absent.',
  })
  ruleResults(@Root() range: TimeRange, @Ctx() context: Context): Promise<RuleDayCounts[]> {
    return ruleResultsByDay(context, range);
  }

  @Cost(10)
  @ListSize(4 * maxSteps)
  @FieldResolver(() => [DeliveryStepCounts], {
    description: 'Webhook deliveries by step and answer, oldest first; each attempt counts.',
  })
  webhookDeliveries(
    @Root() range: TimeRange,
    @Step() step: InsightStep,
    @Ctx() context: Context,
  ): Promise<DeliveryStepCounts[]> {
    assertSteps(range, step);
    return deliveriesByStep(context, range, step);
  }

  @Cost(1)
  @ListSize(10)
  @FieldResolver(() => [SourceImportCounts], {
    description: 'Source imports that began in the period, by their state now.',
  })
  sourceImports(@Root() range: TimeRange, @Ctx() context: Context): Promise<SourceImportCounts[]> {
    return importsByState(context, range);
  }
}
