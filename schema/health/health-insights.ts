import { Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { CalendarDate } from '../vocabulary/scalars.ts';
import { TriageLevel } from './assessment.ts';
import { SafetyLevel } from './safety-notice.ts';

@ObjectType({ description: 'Views of the articles of one category on one day.', simpleResolvers: true })
export class ArticleViewCounts {
  @Computed(() => CalendarDate, 'Day in UTC.')
  day!: string;

  @Computed(() => String, 'Slug of the category.')
  categorySlug!: string;

  @Computed(() => Int, 'Number of views, 10 or more.')
  viewCount!: number;
}

@ObjectType({ description: 'Registrations on one day.', simpleResolvers: true })
export class RegistrationCounts {
  @Computed(() => CalendarDate, 'Day in UTC.')
  day!: string;

  @Computed(() => Int, 'Number of accounts that were created, 10 or more.')
  accountCount!: number;
}

@ObjectType({ description: 'Answers of the companion with one safety level on one day.', simpleResolvers: true })
export class CompanionAnswerCounts {
  @Computed(() => CalendarDate, 'Day in UTC.')
  day!: string;

  @Computed(() => SafetyLevel, 'Safety level of the message that was answered.')
  level!: SafetyLevel;

  @Computed(() => Int, 'Number of answers to 10 people or more.')
  answerCount!: number;
}

@ObjectType({ description: 'Assessments with one triage level on one day.', simpleResolvers: true })
export class AssessmentDayCounts {
  @Computed(() => CalendarDate, 'Day in UTC.')
  day!: string;

  @Computed(() => TriageLevel, 'Triage level of the assessments.')
  triageLevel!: TriageLevel;

  @Computed(() => Int, 'Number of assessments of 10 people or more.')
  assessmentCount!: number;
}

@ObjectType({
  description:
    'Counts of the health product by day, for service credentials. A count of fewer than 10 people is left out, and a day is counted once, after its end: no count and no change of one concerns a single person.',
  simpleResolvers: true,
})
export class HealthInsights {
  @Computed(() => CalendarDate, 'First day of the period, UTC.')
  from!: string;

  @Computed(() => CalendarDate, 'Last day of the period that has been counted; null if none has.', { null: true })
  countedUntil!: string | null;
}
