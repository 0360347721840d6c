import type { Dashboard } from '../dashboards/dashboard.tsx';
import { assertReadable, dayLabel, healthOwner, healthPeriods } from './health-periods.ts';

export interface HealthSymptomsBody {
  dailySummaries:
    | readonly {
        date: string;
        symptoms: {
          reportCount: number;
          averageSeverity: number | null;
          mostFrequent: readonly { name: string; reportCount: number }[];
        };
      }[]
    | null;
}

/** Bars of the chart; the table below it has all rows. */
const maxBars = 12;

/** `/health/symptoms`. @throws ProblemError `not-found` for guests */
export function healthSymptoms({ dailySummaries }: HealthSymptomsBody, query: URLSearchParams): Dashboard {
  assertReadable(dailySummaries);
  const { days, periods } = healthPeriods(query);
  const summaries = dailySummaries.filter(({ symptoms }) => symptoms.reportCount > 0);
  const total = summaries.reduce((sum, { symptoms }) => sum + symptoms.reportCount, 0);
  const names = countsByName(summaries.flatMap(({ symptoms }) => symptoms.mostFrequent));
  return {
    title: 'Symptoms',
    owner: healthOwner,
    periods,
    summary: `${total.toLocaleString('en')} reports of symptoms on ${summaries.length} days.`,
    sections: [
      {
        heading: 'Severity',
        chart: {
          id: 'severity-chart',
          title: 'Mean severity by day, 1 to 10',
          summary: `${summaries.length} days with symptoms.`,
          series: ['mean severity'],
          points: summaries.map(({ date, symptoms }) => ({
            label: dayLabel(date),
            values: [symptoms.averageSeverity],
          })),
          shape: 'lines',
        },
        table: {
          name: 'severity',
          caption: 'Reports of symptoms by day',
          columns: [
            { name: 'Day', type: 'text' },
            { name: 'Reports', type: 'number' },
            { name: 'Mean severity', type: 'number' },
            { name: 'Symptoms', type: 'text' },
          ],
          rows: summaries.map(({ date, symptoms }) => [
            date,
            symptoms.reportCount,
            symptoms.averageSeverity,
            symptoms.mostFrequent.map(({ name }) => name).join(', '),
          ]),
        },
      },
      {
        heading: 'By symptom',
        chart: {
          id: 'symptoms-chart',
          title: 'Reports by symptom',
          summary: names[0] ? `The most frequent is ${names[0][0]} with ${names[0][1]} reports.` : 'No symptoms.',
          series: ['reports'],
          points: names.slice(0, maxBars).map(([label, count]) => ({ label, values: [count] })),
          shape: 'bars',
        },
        table: {
          name: 'symptoms',
          caption: 'Reports by symptom, of the five most frequent ones of each day',
          columns: [
            { name: 'Symptom', type: 'text' },
            { name: 'Reports', type: 'number' },
          ],
          rows: names.map(([name, count]) => [name, count]),
        },
      },
    ],
    variables: { days },
  };
}

/** Sums without regard to case, most reports first. */
function countsByName(symptoms: readonly { name: string; reportCount: number }[]): [name: string, count: number][] {
  const counts = new Map<string, [name: string, count: number]>();
  for (const { name, reportCount } of symptoms) {
    const [known, count] = counts.get(name.toLowerCase()) ?? [name, 0];
    counts.set(name.toLowerCase(), [known, count + reportCount]);
  }
  return [...counts.values()].sort((a, b) => b[1] - a[1]);
}
