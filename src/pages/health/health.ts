import type { Dashboard } from '../dashboards/dashboard.tsx';
import type { Cell } from '../dashboards/data-table.tsx';
import { assertReadable, healthOwner } from './health-periods.ts';

interface PeriodFigures {
  loggedDayCount: number;
  goals: { activeCount: number; averageProgressPercent: number | null };
  symptoms: { reportCount: number; averageSeverity: number | null };
  vitals: {
    readingCount: number;
    averageSystolic: number | null;
    averageDiastolic: number | null;
    averageHeartRate: number | null;
    stepCount: number;
  };
  assessments: { totalCount: number; emergencyCount: number };
}

export interface HealthBody {
  dashboard: { last7Days: PeriodFigures; last30Days: PeriodFigures } | null;
}

/** Each figure with the page that has more of it. */
const figures: readonly [name: string, page: string, cell: (period: PeriodFigures) => Cell][] = [
  ['Active goals', '/health/goals', one => one.goals.activeCount],
  ['Mean progress of goals, %', '/health/goals', one => one.goals.averageProgressPercent],
  ['Readings of vital signs', '/health/vitals', one => one.vitals.readingCount],
  ['Mean systolic pressure, mmHg', '/health/vitals', one => one.vitals.averageSystolic],
  ['Mean diastolic pressure, mmHg', '/health/vitals', one => one.vitals.averageDiastolic],
  ['Mean heart rate, beats per minute', '/health/vitals', one => one.vitals.averageHeartRate],
  ['Steps', '/health/vitals', one => one.vitals.stepCount],
  ['Reports of symptoms', '/health/symptoms', one => one.symptoms.reportCount],
  ['Mean severity of symptoms, 1 to 10', '/health/symptoms', one => one.symptoms.averageSeverity],
  ['Assessments', '/health/assessments', one => one.assessments.totalCount],
  ['Assessments that advised emergency care', '/health/assessments', one => one.assessments.emergencyCount],
];

/** `/health`. @throws ProblemError `not-found` for guests */
export function health({ dashboard }: HealthBody): Dashboard {
  assertReadable(dashboard);
  const { last7Days, last30Days } = dashboard;
  return {
    title: 'Your health',
    owner: healthOwner,
    periods: [],
    summary: `The last 168 hours have entries on ${last7Days.loggedDayCount} calendar days, the last 720 hours on ${last30Days.loggedDayCount}.`,
    sections: [
      {
        heading: 'Figures',
        table: {
          name: 'figures',
          caption: 'Figures of the last days; each name leads to a page with more',
          columns: [
            { name: 'Figure', type: 'text' },
            { name: 'Last 7 days', type: 'number' },
            { name: 'Last 30 days', type: 'number' },
          ],
          rows: figures.map(([name, , cell]) => [name, cell(last7Days), cell(last30Days)]),
          links: figures.map(([, page]) => page),
        },
      },
    ],
    variables: {},
  };
}
