import { Arg, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import {
  ArticleViewCounts,
  AssessmentDayCounts,
  CompanionAnswerCounts,
  HealthInsights,
  RegistrationCounts,
} from '../../../schema/health/health-insights.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import type { Context } from '../../context/context.ts';
import { badInput } from '../../errors/errors.ts';
import { countRetentionDays } from './count-day.ts';
import {
  articleViewsByDay,
  assessmentsByDay,
  companionAnswersByDay,
  type DayRange,
  lastCountedDay,
  maxCategories,
  registrationsByDay,
} from './health-insights.queries.ts';

const dayMs = 24 * 60 * 60_000;

@Resolver()
export class HealthInsightRoots {
  @Access('service')
  @Query(() => HealthInsights, {
    nullable: true,
    description: 'Counts of the health product by day, none of fewer than 10 people. For service credentials.',
  })
  async healthInsights(
    @Arg('days', () => Int, {
      defaultValue: 30,
      description: `Number of days in UTC up to yesterday, 1 to ${countRetentionDays}.`,
    })
    days: number,
    @Ctx() context: Context,
  ): Promise<DayRange & { countedUntil: string | null }> {
    if (days < 1 || days > countRetentionDays) throw badInput(`days must be from 1 to ${countRetentionDays}.`, 'days');
    const dayBefore = (count: number): string =>
      new Date(context.now().getTime() - count * dayMs).toISOString().slice(0, 10);
    const range = { from: dayBefore(days), to: dayBefore(1) };
    return { ...range, countedUntil: await lastCountedDay(context, range) };
  }
}

@Resolver(() => HealthInsights)
export class HealthInsightFields {
  @Cost(2)
  @ListSize(maxCategories * countRetentionDays)
  @FieldResolver(() => [ArticleViewCounts], {
    description: 'Views of articles by day and category, oldest first. An article counts for each of its categories.',
  })
  articleViews(@Root() range: DayRange, @Ctx() context: Context): Promise<ArticleViewCounts[]> {
    return articleViewsByDay(context, range);
  }

  @Cost(1)
  @ListSize(countRetentionDays)
  @FieldResolver(() => [RegistrationCounts], { description: 'Registrations by day, oldest first, without guests.' })
  registrations(@Root() range: DayRange, @Ctx() context: Context): Promise<RegistrationCounts[]> {
    return registrationsByDay(context, range);
  }

  @Cost(1)
  @ListSize(3 * countRetentionDays)
  @FieldResolver(() => [CompanionAnswerCounts], {
    description: 'Answers of the companion by day and safety level of the message, oldest first.',
  })
  companionAnswers(@Root() range: DayRange, @Ctx() context: Context): Promise<CompanionAnswerCounts[]> {
    return companionAnswersByDay(context, range);
  }

  @Cost(1)
  @ListSize(4 * countRetentionDays)
  @FieldResolver(() => [AssessmentDayCounts], { description: 'Assessments by day and triage level, oldest first.' })
  assessments(@Root() range: DayRange, @Ctx() context: Context): Promise<AssessmentDayCounts[]> {
    return assessmentsByDay(context, range);
  }
}
