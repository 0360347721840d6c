import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { CalendarDate, DateTime } from '../vocabulary/scalars.ts';
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
registerEnumType(SymptomTrend, {
  name: 'SymptomTrend',
  description: 'Trend of the severity of symptoms.',
  valuesConfig: {
    IMPROVING: { description: 'Mean severity that is lower by 1 or more in the later half.' },
    STABLE: { description: 'Mean severity that differs by less than 1.' },
    WORSENING: { description: 'Mean severity that is higher by 1 or more in the later half.' },
    INSUFFICIENT_DATA: { description: 'Fewer than two severities in one half of the days.' },
  },
});
export type SymptomTrendCode = (typeof SymptomTrend)[keyof typeof SymptomTrend];

const nullable = { null: true };

@ObjectType({ description: 'Numbers of assessments by urgency.', simpleResolvers: true })
export class UrgencyCounts {
  @Computed(() => Int, 'Number of assessments of low urgency.') lowCount!: number;
  @Computed(() => Int, 'Number of assessments of medium urgency.') mediumCount!: number;
  @Computed(() => Int, 'Number of assessments of high urgency.') highCount!: number;
}

@ObjectType({ description: 'Numbers of assessments of a period.', simpleResolvers: true })
export class AssessmentCounts {
  @Computed(() => Int, 'Number of assessments.') totalCount!: number;
  @Computed(() => Int, 'Number of assessments that advised emergency care.') emergencyCount!: number;
  @Computed(() => UrgencyCounts, 'Numbers by urgency.') byUrgency!: UrgencyCounts;
}

@ObjectType({ description: 'Frequency of a symptom.', simpleResolvers: true })
export class SymptomCount {
  @Computed(() => String, 'Name of the symptom in its most frequent spelling.') name!: string;
  @Computed(() => Int, 'Number of reports.') reportCount!: number;
}

@ObjectType({
  description:
    'Summary of the symptoms of a period, from symptom logs and assessments. A symptom of an assessment has its severity.',
  simpleResolvers: true,
})
export class SymptomSummary {
  @Computed(() => Int, 'Number of reports of symptoms.') reportCount!: number;
  @Computed(() => Int, 'Number of distinct symptoms, without regard to case.') distinctCount!: number;
  @Computed(() => Float, 'Mean severity, 1 to 10, to one decimal; null without symptoms.', nullable)
  averageSeverity!: number | null;
  @ListSize(5)
  @Computed(() => [SymptomCount], 'Most frequent symptoms, at most 5.')
  mostFrequent!: SymptomCount[];
  @Computed(
    () => SymptomTrend,
    'Trend of the mean severity, from the first half of the period to the second. Lower by at least 1 is improving, higher by at least 1 worsening. Each half needs at least 2 severities.',
  )
  trend!: SymptomTrendCode;
}

@ObjectType({ description: 'Summary of the measurements of a period. Means have one decimal.', simpleResolvers: true })
export class VitalSummary {
  @Computed(() => Int, 'Number of readings.') readingCount!: number;
  @Computed(() => Float, 'Mean heart rate in beats per minute; null without values.', nullable)
  averageHeartRate!: number | null;
  @Computed(() => Float, 'Mean systolic blood pressure in mmHg; null without values.', nullable)
  averageSystolic!: number | null;
  @Computed(() => Float, 'Mean diastolic blood pressure in mmHg; null without values.', nullable)
  averageDiastolic!: number | null;
  @Computed(
    () => BloodPressureCategory,
    'Category of the mean blood pressure; null with fewer than 2 readings or days. The higher of two categories applies.',
    nullable,
  )
  bloodPressureCategory!: BloodPressureCategoryCode | null;
  @Computed(() => String, 'Name of the classification scheme of the category.') bloodPressureScheme!: string;
  @Computed(() => Float, 'Mean oxygen saturation of the blood in percent; null without values.', nullable)
  averageOxygenSaturation!: number | null;
  @Computed(() => Float, 'Mean blood glucose in mg/dL; null without values.', nullable)
  averageBloodGlucose!: number | null;
  @Computed(() => Float, 'Mean body temperature in °C; null without values.', nullable)
  averageTemperatureC!: number | null;
  @Computed(() => Float, 'Latest weight in kg; null without values.', nullable) latestWeightKg!: number | null;
  @Computed(() => Float, 'Latest weight minus the first, in kg; null with fewer than 2 values.', nullable)
  weightChangeKg!: number | null;
  @Computed(() => GraphQLSafeInt, 'Number of steps.') stepCount!: number;
}

@ObjectType({ description: 'Summary of the current goals.', simpleResolvers: true })
export class GoalSummary {
  @Computed(() => Int, 'Number of active goals.') activeCount!: number;
  @Computed(() => Int, 'Number of goals with a progress of 100 percent, active or not.') completedCount!: number;
  @Computed(
    () => Float,
    'Mean progress in percent of active goals that have one, to one decimal; null without such goals.',
    nullable,
  )
  averageProgressPercent!: number | null;
}

@ObjectType({ description: 'Summary of a period that ends now.', simpleResolvers: true })
export class HealthPeriod {
  @Computed(() => DateTime, 'Start of the period.') from!: Date;
  @Computed(() => DateTime, 'End of the period: now.') to!: Date;
  @Computed(() => AssessmentCounts, 'Numbers of assessments.') assessments!: AssessmentCounts;
  @Computed(() => SymptomSummary, 'Summary of symptoms.') symptoms!: SymptomSummary;
  @Computed(() => VitalSummary, 'Summary of measurements.') vitals!: VitalSummary;
  @Computed(() => GoalSummary, 'Summary of the current goals, independent of the period.') goals!: GoalSummary;
  @Computed(() => Int, 'Number of days with a symptom, a reading or an assessment, in the time zone of the profile.')
  loggedDayCount!: number;
}

@ObjectType({
  description: 'Summary of a week that has data, Monday to Sunday in the time zone of the profile.',
  simpleResolvers: true,
})
export class WeeklySummary {
  @Computed(() => String, 'ISO 8601 week: `2026-W40`.') week!: string;
  @Computed(() => CalendarDate, 'Monday of the week.') from!: string;
  @Computed(() => CalendarDate, 'Sunday of the week.') to!: string;
  @Computed(() => Boolean, 'Whether the week is over.') isComplete!: boolean;
  @Computed(() => AssessmentCounts, 'Numbers of assessments.') assessments!: AssessmentCounts;
  @Computed(() => SymptomSummary, 'Summary of symptoms.') symptoms!: SymptomSummary;
  @Computed(() => VitalSummary, 'Summary of measurements.') vitals!: VitalSummary;
  @Computed(() => Int, 'Number of days with a symptom, a reading or an assessment.') loggedDayCount!: number;
}

@ObjectType({
  description: 'Summary of a day that has data, in the time zone of the profile.',
  simpleResolvers: true,
})
export class DailySummary {
  @Computed(() => CalendarDate, 'Day that the summary is of.') date!: string;
  @Computed(() => AssessmentCounts, 'Numbers of assessments.') assessments!: AssessmentCounts;
  @Computed(() => SymptomSummary, 'Summary of symptoms.') symptoms!: SymptomSummary;
  @Computed(() => VitalSummary, 'Summary of measurements.') vitals!: VitalSummary;
}

export const WeeklySummaryConnection = connectionOf('WeeklySummary', () => WeeklySummary, 'weekly summaries');

@ObjectType({ description: 'Figures of the last days. Means have one decimal.', simpleResolvers: true })
export class HealthDashboard {
  @Computed(() => DateTime, 'Time at which the dashboard was computed.') generatedAt!: Date;
  @Computed(() => HealthPeriod, 'Last 7 days.') last7Days!: HealthPeriod;
  @Computed(() => HealthPeriod, 'Last 30 days.') last30Days!: HealthPeriod;

  @Computed(() => WeeklySummary, 'Latest weekly summary; null without data.', nullable)
  latestSummary!: WeeklySummary | null;
  @Computed(() => [HealthGoal], 'Active goals, newest first, at most 100.')
  activeGoals!: HealthGoal[];
  @Computed(() => [SymptomLog], 'Symptoms logged in the last 7 days, newest first, at most 10.')
  recentSymptoms!: SymptomLog[];
}
