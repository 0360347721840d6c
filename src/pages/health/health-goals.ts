import type { Dashboard } from '../dashboards/dashboard.tsx';
import type { PageInfo } from '../hosting/next-page.tsx';
import { assertReadable, healthOwner } from './health-periods.ts';

export interface HealthGoalsBody {
  goals: {
    totalCount: number;
    pageInfo: PageInfo;
    nodes: readonly {
      description: string;
      goalType: string;
      unit: string;
      startValue: string | null;
      currentValue: string | null;
      targetValue: string;
      progressPercent: number | null;
      targetOn: string | null;
      isActive: boolean;
    }[];
  } | null;
}

/** Bars of the chart; the table below it has all rows. */
const maxBars = 12;

const numberOf = (value: string | null): number | null => (value === null ? null : Number(value));

/** `/health/goals`. @throws ProblemError `not-found` for guests */
export function healthGoals({ goals }: HealthGoalsBody, query: URLSearchParams): Dashboard {
  assertReadable(goals);
  const { nodes, totalCount, pageInfo } = goals;
  const nameOf = ({ description, goalType }: (typeof nodes)[number]): string =>
    description || goalType.replaceAll('_', ' ');
  const shown = nodes.filter(one => one.isActive && one.progressPercent !== null).slice(0, maxBars);
  const reached = nodes.filter(one => one.progressPercent === 100).length;
  const after = query.get('after');
  return {
    title: 'Goals',
    owner: healthOwner,
    periods: [],
    summary: `${totalCount.toLocaleString('en')} goals. On this page ${reached} are reached.`,
    sections: [
      {
        heading: 'Progress',
        chart:
          shown.length === 0
            ? undefined
            : {
                id: 'goals-chart',
                title: 'Progress of active goals in percent',
                summary: shown.map(one => `${nameOf(one)}: ${one.progressPercent} %`).join('. '),
                series: ['percent'],
                points: shown.map(one => ({
                  label: nameOf(one),
                  values: [one.progressPercent],
                })),
                max: 100,
                shape: 'bars',
              },
        table: {
          name: 'goals',
          caption: 'Goals, newest first',
          columns: [
            { name: 'Goal', type: 'text' },
            { name: 'Active', type: 'text' },
            { name: 'Progress', type: 'share' },
            { name: 'Start', type: 'number' },
            { name: 'Current', type: 'number' },
            { name: 'Target', type: 'number' },
            { name: 'Unit', type: 'text' },
            { name: 'Until', type: 'text' },
          ],
          rows: nodes.map(one => [
            nameOf(one),
            one.isActive ? 'yes' : 'no',
            one.progressPercent === null ? null : one.progressPercent / 100,
            numberOf(one.startValue),
            numberOf(one.currentValue),
            numberOf(one.targetValue),
            one.unit,
            one.targetOn,
          ]),
        },
      },
    ],
    pageInfo,
    variables: after === null ? {} : { after },
  };
}
