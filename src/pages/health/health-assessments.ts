import type { Dashboard } from '../dashboards/dashboard.tsx';
import type { PageInfo } from '../hosting/next-page.tsx';
import { assertReadable, dayLabel, healthOwner, healthPeriods } from './health-periods.ts';

export interface HealthAssessmentsBody {
  dailySummaries:
    | readonly {
        date: string;
        assessments: {
          totalCount: number;
          emergencyCount: number;
          byUrgency: { lowCount: number; mediumCount: number; highCount: number };
        };
      }[]
    | null;
  assessments: {
    totalCount: number;
    pageInfo: PageInfo;
    nodes: readonly {
      createdAt: string;
      symptoms: readonly string[];
      severity: number;
      subject: string;
      result: { triageLevel: string } | null;
    }[];
  } | null;
}

/** `/health/assessments`. @throws ProblemError `not-found` for guests */
export function healthAssessments(
  { dailySummaries, assessments }: HealthAssessmentsBody,
  query: URLSearchParams,
): Dashboard {
  assertReadable(dailySummaries);
  assertReadable(assessments);
  const { days, periods } = healthPeriods(query);
  const after = query.get('after');
  const summaries = dailySummaries.filter(one => one.assessments.totalCount > 0);
  const sum = (count: (one: (typeof summaries)[number]['assessments']) => number): number =>
    summaries.reduce((total, one) => total + count(one.assessments), 0);
  return {
    title: 'Assessments',
    owner: healthOwner,
    periods,
    summary: `${sum(one => one.totalCount)} assessments of your own symptoms: ${sum(one => one.byUrgency.highCount)} of high urgency, ${sum(one => one.byUrgency.mediumCount)} of medium and ${sum(one => one.byUrgency.lowCount)} of low; ${sum(one => one.emergencyCount)} advised emergency care.`,
    sections: [
      {
        heading: 'By urgency',
        chart: {
          id: 'urgency-chart',
          title: 'Assessments by day and urgency',
          summary: `${summaries.length} days with assessments.`,
          series: ['low', 'medium', 'high'],
          points: summaries.map(({ date, assessments: { byUrgency } }) => ({
            label: dayLabel(date),
            values: [byUrgency.lowCount, byUrgency.mediumCount, byUrgency.highCount],
          })),
          shape: 'columns',
        },
        table: {
          name: 'urgency',
          caption: 'Assessments of your own symptoms by day and urgency',
          columns: [
            { name: 'Day', type: 'text' },
            { name: 'Low', type: 'number' },
            { name: 'Medium', type: 'number' },
            { name: 'High', type: 'number' },
            { name: 'Advised emergency care', type: 'number' },
          ],
          rows: summaries.map(({ date, assessments: { byUrgency, emergencyCount } }) => [
            date,
            byUrgency.lowCount,
            byUrgency.mediumCount,
            byUrgency.highCount,
            emergencyCount,
          ]),
        },
      },
      {
        heading: 'All assessments',
        table: {
          name: 'assessments',
          caption: 'Assessments of all periods, newest first',
          columns: [
            { name: 'Time', type: 'time' },
            { name: 'Symptoms', type: 'text' },
            { name: 'Of', type: 'text' },
            { name: 'Severity', type: 'number' },
            { name: 'Advised care', type: 'text' },
          ],
          rows: assessments.nodes.map(one => [
            one.createdAt,
            one.symptoms.join(', '),
            wordsOf(one.subject),
            one.severity,
            one.result && wordsOf(one.result.triageLevel),
          ]),
        },
      },
    ],
    pageInfo: assessments.pageInfo,
    variables: { days, ...(after === null ? {} : { after }) },
  };
}

const wordsOf = (value: string): string => value.replaceAll('_', ' ');
