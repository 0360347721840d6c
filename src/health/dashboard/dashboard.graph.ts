import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Int, Resolver } from 'type-graphql';
import {
  DailySummary,
  HealthDashboard,
  WeeklySummary,
  WeeklySummaryConnection,
} from '../../../schema/health/dashboard.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { badInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { type DashboardRow, loadDashboard } from './dashboard.queries.ts';
import { dailySummaries, latestSummary, maxDays, weeklySummaries } from './summaries.queries.ts';

@Resolver(() => Person)
export class PersonDashboard {
  @Access('verified')
  @Cost(5)
  @FieldResolver(() => HealthDashboard, { nullable: true, description: 'Figures of the last 7 and 30 days.' })
  dashboard(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<DashboardRow> {
    return loadDashboard(context, requirePerson(context.actor).userId, selectionOf(info));
  }

  @Access('verified')
  @Cost(20)
  @FieldResolver(() => WeeklySummaryConnection, {
    nullable: true,
    description: 'Summaries of weeks with data, newest first, including the current week.',
  })
  weeklySummaries(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<WeeklySummary> {
    return new Connection(WeeklySummaryConnection, weeklySummaries(context, requirePerson(context.actor).userId), args);
  }

  @Access('verified')
  @Cost(20)
  @ListSize(maxDays)
  @FieldResolver(() => [DailySummary], {
    nullable: true,
    description: 'Summaries of the days with data among the last ones, today included; the oldest first.',
  })
  async dailySummaries(
    @Arg('days', () => Int, { defaultValue: 30, description: `Number of days to look at, 1 to ${maxDays}.` })
    days: number,
    @Ctx() context: Context,
  ): Promise<DailySummary[]> {
    if (days < 1 || days > maxDays) throw badInput(`days must be from 1 to ${maxDays}, not ${days}.`, 'days');
    return dailySummaries(context, requirePerson(context.actor).userId, days);
  }

  @Access('verified')
  @Cost(3)
  @FieldResolver(() => WeeklySummary, { nullable: true, description: 'Latest weekly summary; null without data.' })
  latestSummary(@Ctx() context: Context): Promise<WeeklySummary | null> {
    return latestSummary(context, requirePerson(context.actor).userId);
  }
}
