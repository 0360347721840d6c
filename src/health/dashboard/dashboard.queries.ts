import { type RawBuilder, sql } from 'kysely';
import type {
  AssessmentCounts,
  HealthDashboard,
  HealthPeriod,
  SymptomSummary,
} from '../../../schema/health/dashboard.ts';
import type { Context } from '../../context/context.ts';
import { compiledStatement } from '../../db/compiled-statement.ts';
import type { Selection } from '../../db/selection.ts';
import type { GoalRow } from '../goals/goals.queries.ts';
import type { SymptomLogRow } from '../symptom-logs/symptom-logs.queries.ts';
import { assessmentFigures } from './assessment-figures.ts';
import { loadGoalFigures } from './goal-figures.ts';
import { latestSummary } from './summaries.queries.ts';
import { buildSymptomSummary, type SymptomFigures, symptomFigures } from './symptom-figures.ts';
import { buildVitalSummary, type VitalFigures, vitalFigures } from './vital-figures.ts';

/** A noun whose members `Names` are undefined when they were not selected. */
type PartlySelected<Noun, Names extends keyof Noun> = Omit<Noun, Names> & { [Name in Names]: Noun[Name] | undefined };

export type PeriodRow = PartlySelected<HealthPeriod, 'assessments' | 'symptoms' | 'vitals' | 'goals'>;

export type DashboardRow = Omit<HealthDashboard, 'last7Days' | 'last30Days' | 'activeGoals' | 'recentSymptoms'> & {
  last7Days: PeriodRow;
  last30Days: PeriodRow;
  activeGoals: GoalRow[] | undefined;
  recentSymptoms: SymptomLogRow[];
};

const periods = { last7Days: 7, last30Days: 30 } as const;
type Period = keyof typeof periods;

const hourMs = 3_600_000;
const daysAgo = (now: Date, days: number): Date => new Date(now.getTime() - days * 24 * hourMs);

/** Figures per period, and the calendar days of the user with data. */
type FiguresByPeriod<Figures> = Record<Period, { figures: Figures; days: string[] }>;

/** Rolling periods `w`. They end five minutes after now, to include data of clients with a fast clock. */
function periodBounds(now: string): RawBuilder<unknown> {
  const before = (hours: number): RawBuilder<unknown> =>
    sql`${now}::timestamptz - interval '${sql.raw(String(hours))} hours'`;
  const rows = Object.entries(periods).map(
    ([key, days]) =>
      sql`(${key}::text, ${before(days * 24)}, ${before(days * 12)}, ${now}::timestamptz + interval '5 minutes')`,
  );
  return sql`(values ${sql.join(rows)}) w(key, since, middle, until)`;
}

/** A prepared statement that computes figures for both periods. */
const figuresStatement = <Figures>(figures: (userId: number) => RawBuilder<unknown>) =>
  compiledStatement<{ userId: number; now: string }, { key: Period; figures: Figures; days: string[] }>(
    ['userId', 'now'],
    ({ userId, now }) =>
      sql`select w.key, x.* from ${periodBounds(now)} cross join lateral (${figures(userId)}) x(figures, days)`,
  );

type SymptomsAndRecent = SymptomFigures & { recent: SymptomLogRow[] | null };

/** Adds the newest symptom logs to the figures of the week, in the same statement. */
const symptomFiguresWithRecent = (userId: number): RawBuilder<unknown> => sql`
  select (figures::jsonb || jsonb_build_object('recent', case when w.key = 'last7Days' then (
      select coalesce(jsonb_agg(to_jsonb(newest) order by newest."loggedAt"::timestamptz desc, id desc), '[]') from (
        select id, id as "databaseId", symptom_name as "symptomName", severity, body_location as "bodyLocation", description,
          logged_at::text as "loggedAt", created_at::text as "createdAt"
        from symptom_log where user_id = ${userId} and logged_at >= w.since and logged_at < w.until
        order by logged_at desc, id desc limit 10) newest) end)) as figures, days
  from (${symptomFigures(userId)}) all_of_them`;

const assessmentStatement = figuresStatement<AssessmentCounts>(assessmentFigures);
const symptomStatement = figuresStatement<SymptomsAndRecent>(symptomFiguresWithRecent);
const vitalStatement = figuresStatement<VitalFigures>(vitalFigures);

/** The dashboard of a user: one statement per selected group of figures, in parallel. */
export async function loadDashboard(context: Context, userId: number, wanted: Selection): Promise<DashboardRow> {
  const now = context.now();
  const inPeriods = (name: string): boolean =>
    (Object.keys(periods) as Period[]).some(key => wanted.get(key)?.has(name) === true);
  const days = inPeriods('loggedDayCount');
  const values = { userId, now: now.toISOString() };
  const read = async <Figures>(
    block: ReturnType<typeof figuresStatement<Figures>>,
  ): Promise<FiguresByPeriod<Figures>> => {
    const rows = await context.read(block(values));
    return Object.fromEntries(rows.map(({ key, ...rest }) => [key, rest])) as FiguresByPeriod<Figures>;
  };
  const [assessments, symptoms, vitals, goals, latest] = await Promise.all([
    days || inPeriods('assessments') ? read(assessmentStatement) : undefined,
    days || inPeriods('symptoms') || wanted.has('recentSymptoms') ? read(symptomStatement) : undefined,
    days || inPeriods('vitals') ? read(vitalStatement) : undefined,
    inPeriods('goals') || wanted.has('activeGoals') ? loadGoalFigures(context, userId) : undefined,
    wanted.has('latestSummary') ? latestSummary(context, userId) : null,
  ]);
  const period = (key: Period): PeriodRow => {
    const days = [assessments, symptoms, vitals].flatMap(one => one?.[key].days ?? []);
    return {
      from: daysAgo(now, periods[key]),
      to: now,
      assessments: assessments?.[key].figures,
      symptoms: symptoms && withoutRecent(symptoms[key].figures),
      vitals: vitals && buildVitalSummary(vitals[key].figures),
      goals: goals?.summary,
      loggedDayCount: new Set(days).size,
    };
  };
  return {
    generatedAt: now,
    last7Days: period('last7Days'),
    last30Days: period('last30Days'),
    latestSummary: latest,
    activeGoals: goals?.active,
    recentSymptoms: symptoms?.last7Days.figures.recent ?? [],
  };
}

function withoutRecent({ recent: _, ...figures }: SymptomsAndRecent): SymptomSummary {
  return buildSymptomSummary(figures);
}
