import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { HealthDashboard, HealthSummary, HealthSummaryConnection } from '../../../schema/health/dashboard.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { type DashboardRow, loadDashboard } from './dashboard.queries.ts';
import { latestSummary, weeklySummaries } from './summaries.queries.ts';

@Resolver()
export class DashboardRoots {
  @Access('verified')
  @Cost(5)
  @Query(() => HealthDashboard, { description: "Overview of the caller's health data." })
  healthDashboard(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<DashboardRow> {
    return loadDashboard(context, requirePerson(context.actor).userId, selectionOf(info));
  }

  @Access('verified')
  @Cost(20)
  @Query(() => HealthSummaryConnection, {
    description: 'Summaries of weeks with data, the newest first, including the current week.',
  })
  healthSummaries(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<HealthSummary> {
    return new Connection(HealthSummaryConnection, weeklySummaries(context, requirePerson(context.actor).userId), args);
  }

  @Access('verified')
  @Cost(3)
  @Query(() => HealthSummary, { nullable: true, description: 'The newest weekly summary; null without data.' })
  latestHealthSummary(@Ctx() context: Context): Promise<HealthSummary | null> {
    return latestSummary(context, requirePerson(context.actor).userId);
  }
}
