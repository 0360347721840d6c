import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { CalendarDate, Instant } from '../vocabulary/scalars.ts';
import { HealthGoal } from './health-goal.ts';
import { SymptomLog } from './symptom-log.ts';

/** Categories of blood pressure in adults, from ACC/AHA 2017. */
export const BloodPressureCategory = {
  NORMAL: 'normal',
  ELEVATED: 'elevated',
  STAGE_1: 'stage_1',
  STAGE_2: 'stage_2',
  SEVERE: 'severe',
} as const;
export type BloodPressureCategory = (typeof BloodPressureCategory)[keyof typeof BloodPressureCategory];
registerEnumType(BloodPressureCategory, {
  name: 'BloodPressureCategory',
  description: 'Category of a blood pressure in adults. Not a diagnosis.',
});
export type BloodPressureCategoryCode = (typeof BloodPressureCategory)[keyof typeof BloodPressureCategory];

export const SymptomTrend = {
  IMPROVING: 'improving',
  STABLE: 'stable',
  WORSENING: 'worsening',
  INSUFFICIENT_DATA: 'insufficient_data',
} as const;
export type SymptomTrend = (typeof SymptomTrend)[keyof typeof SymptomTrend];
registerEnumType(SymptomTrend, { name: 'SymptomTrend', description: 'Where the severity of symptoms is going.' });
export type SymptomTrendCode = (typeof SymptomTrend)[keyof typeof SymptomTrend];

const nullable = { null: true };

@ObjectType({ description: 'Assessments by the urgency they came to.', simpleResolvers: true })
export class UrgencyCounts {
  @Computed(() => Int, 'Of low urgency.') low!: number;
  @Computed(() => Int, 'Of medium urgency.') medium!: number;
  @Computed(() => Int, 'Of high urgency.') high!: number;
}

@ObjectType({ description: 'Assessments of some time.', simpleResolvers: true })
export class AssessmentCounts {
  @Computed(() => Int, 'All of them.') total!: number;
  @Computed(() => Int, 'Those that advised emergency care.') emergency!: number;
  @Computed(() => UrgencyCounts, 'By urgency.') byUrgency!: UrgencyCounts;
}

@ObjectType({ description: 'How often a symptom was told of.', simpleResolvers: true })
export class SymptomCount {
  @Computed(() => String, 'The symptom, as it was written most often.') name!: string;
  @Computed(() => Int, 'How often.') count!: number;
}

@ObjectType({
  description:
    'Symptoms of some time: those noted down and those told in assessments, each with the severity of its assessment.',
  simpleResolvers: true,
})
export class SymptomSummary {
  @Computed(() => Int, 'How often any symptom was told of.') total!: number;
  @Computed(() => Int, 'Different symptoms, capital letters aside.') unique!: number;
  @Computed(() => Float, 'Mean severity, 1 to 10, to one decimal.', nullable) avgSeverity!: number | null;
  @Computed(() => [SymptomCount], 'The five most frequent.') top!: SymptomCount[];
  @Computed(
    () => SymptomTrend,
    'The mean severity of the later half of the time beside that of the earlier half: at least 1 less is improving, at least 1 more worsening. It takes two severities in each half.',
  )
  trend!: SymptomTrendCode;
}

@ObjectType({ description: 'Measurements of some time. Means are to one decimal.', simpleResolvers: true })
export class VitalSummary {
  @Computed(() => Int, 'Readings.') readings!: number;
  @Computed(() => Float, 'Mean heart rate per minute.', nullable) avgHeartRate!: number | null;
  @Computed(() => Float, 'Mean systolic blood pressure in mmHg.', nullable) avgSystolic!: number | null;
  @Computed(() => Float, 'Mean diastolic blood pressure in mmHg.', nullable) avgDiastolic!: number | null;
  @Computed(
    () => BloodPressureCategory,
    'Category of the mean blood pressure of at least two readings on at least two days; null with fewer. Of two categories the higher counts.',
    nullable,
  )
  bpCategory!: BloodPressureCategoryCode | null;
  @Computed(() => String, 'The scheme the category is from.') bpScheme!: string;
  @Computed(() => Float, 'Mean oxygen saturation in per cent.', nullable) avgOxygenSaturation!: number | null;
  @Computed(() => Float, 'Mean blood glucose in mg/dL.', nullable) avgBloodGlucose!: number | null;
  @Computed(() => Float, 'The latest weight in kg.', nullable) latestWeight!: number | null;
  @Computed(() => Float, 'The latest weight less the first, in kg; null with fewer than two.', nullable)
  weightChangeKg!: number | null;
  @Computed(() => GraphQLSafeInt, 'Steps, all together.') stepsTotal!: number;
}

@ObjectType({ description: 'Goals as they stand now.', simpleResolvers: true })
export class GoalSummary {
  @Computed(() => Int, 'Goals that are pursued.') active!: number;
  @Computed(() => Int, 'Goals that are reached: progress is 100, pursued or not.') completed!: number;
  @Computed(() => Float, 'Mean progress of those that are pursued and have one, to one decimal.', nullable)
  avgProgress!: number | null;
}

@ObjectType({ description: 'What happened in some days up to now.', simpleResolvers: true })
export class HealthPeriod {
  @Computed(() => Instant, 'When it begins.') from!: string;
  @Computed(() => Instant, 'When it ends: now.') to!: string;
  @Computed(() => AssessmentCounts, 'Assessments.') assessments!: AssessmentCounts;
  @Computed(() => SymptomSummary, 'Symptoms.') symptoms!: SymptomSummary;
  @Computed(() => VitalSummary, 'Measurements.') vitals!: VitalSummary;
  @Computed(() => GoalSummary, 'Goals as they stand now, whatever the period.') goals!: GoalSummary;
  @Computed(() => Int, 'Days, in the time zone of the profile, with a symptom, a reading or an assessment.')
  daysLogged!: number;
}

@ObjectType({
  description: 'A calendar week, Monday to Sunday in the time zone of the profile, in which something was told.',
  simpleResolvers: true,
})
export class HealthSummary {
  @Computed(() => String, 'The week as ISO 8601 numbers it: `2026-W40`.') week!: string;
  @Computed(() => CalendarDate, 'Its Monday.') from!: string;
  @Computed(() => CalendarDate, 'Its Sunday.') to!: string;
  @Computed(() => Boolean, 'Whether the week is over.') isComplete!: boolean;
  @Computed(() => AssessmentCounts, 'Assessments.') assessments!: AssessmentCounts;
  @Computed(() => SymptomSummary, 'Symptoms.') symptoms!: SymptomSummary;
  @Computed(() => VitalSummary, 'Measurements.') vitals!: VitalSummary;
  @Computed(() => Int, 'Days with a symptom, a reading or an assessment.') daysLogged!: number;
}

export const HealthSummaryPage = pageOf('HealthSummaryPage', () => HealthSummary, 'A page of weekly summaries.');

@ObjectType({ description: 'The health data of the caller at a glance.', simpleResolvers: true })
export class HealthDashboard {
  @Computed(() => Instant, 'When this was put together.') generatedAt!: string;
  @Computed(() => Int, 'Days that the figures beside the periods are of: 7.') periodDays!: number;
  @Computed(() => SymptomSummary, 'Symptoms of those days.') symptomStats!: SymptomSummary;
  @Computed(() => VitalSummary, 'Measurements of those days.') vitalStats!: VitalSummary;
  @Computed(() => HealthPeriod, 'The seven days up to now.') last7Days!: HealthPeriod;
  @Computed(() => HealthPeriod, 'The thirty days up to now.') last30Days!: HealthPeriod;
  @Computed(() => HealthSummary, 'The newest weekly summary.', nullable) latestSummary!: HealthSummary | null;
  @Computed(() => [HealthGoal], 'Goals that are pursued, the newest first, at most 100.') activeGoals!: HealthGoal[];
  @Computed(() => [SymptomLog], 'Symptoms noted down in the last seven days, the newest first, at most 10.')
  recentSymptoms!: SymptomLog[];
}
