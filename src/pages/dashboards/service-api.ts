import type { Section } from './dashboard.tsx';
import { type Column, shareOf } from './data-table.tsx';
import { byTime, type TimeStep } from './time-steps.ts';

interface Counts {
  requestCount: number;
  limitedCount: number;
  clientErrorCount: number;
  serverErrorCount: number;
}

export interface ApiCounts {
  from: string;
  to: string;
  apiRequests: readonly (Counts & { startsAt: string })[];
  apiRoutes: readonly (Counts & { method: string; route: string })[];
  apiActorTypes: readonly (Counts & { actorType: string })[];
  apiOrganizations: readonly (Counts & { organizationLogin: string })[];
}

/** Bars of a chart; the table below it has all rows. */
const maxBars = 10;

const series = ['answered', 'rate-limited', '4xx', '5xx'];
const countColumns: readonly Column[] = [
  { name: 'Requests', type: 'number' },
  { name: 'Answered', type: 'number' },
  { name: 'Rate-limited', type: 'number' },
  { name: '4xx', type: 'number' },
  { name: '5xx', type: 'number' },
  { name: 'Share rate-limited', type: 'share' },
];

const valuesOf = ({ requestCount, limitedCount, clientErrorCount, serverErrorCount }: Counts): number[] => [
  requestCount - limitedCount - clientErrorCount - serverErrorCount,
  limitedCount,
  clientErrorCount,
  serverErrorCount,
];

const cellsOf = (one: Counts) => [one.requestCount, ...valuesOf(one), shareOf(one.limitedCount, one.requestCount)];

/** Sections of the API usage of all organizations. */
export function apiSections(
  { from, to, apiRequests, apiRoutes, apiActorTypes, apiOrganizations }: ApiCounts,
  step: TimeStep,
): Section[] {
  return [
    {
      heading: 'API requests by time',
      chart: {
        id: 'time-chart',
        title: 'API requests by time',
        summary: `${apiRequests.length} ${step}s with requests, in UTC.`,
        series,
        points: byTime({ from, to, step }, apiRequests, one => one.startsAt).map(({ label, rows: [one] }) => ({
          label,
          values: one ? valuesOf(one) : series.map(() => 0),
        })),
        shape: 'columns',
      },
      table: {
        name: 'time',
        caption: 'API requests by time, UTC, by status of the response',
        columns: [{ name: 'From', type: 'time' }, ...countColumns],
        rows: apiRequests.map(one => [one.startsAt, ...cellsOf(one)]),
      },
    },
    namedSection('routes', 'Route', apiRoutes, ({ method, route }) => `${method.toUpperCase()} ${route}`),
    namedSection('organizations', 'Organization', apiOrganizations, one => one.organizationLogin),
    namedSection('actors', 'Kind of credential', apiActorTypes, one => one.actorType.replaceAll('_', ' ')),
  ];
}

function namedSection<Row extends Counts>(
  name: string,
  what: string,
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): Section {
  const [first] = rows;
  const title = `API requests by ${what.toLowerCase()}`;
  return {
    heading: title,
    chart: {
      id: `${name}-chart`,
      title,
      summary: first ? `The first, ${nameOf(first)}, has ${first.requestCount} requests.` : 'No requests.',
      series,
      points: rows.slice(0, maxBars).map(one => ({ label: nameOf(one), values: valuesOf(one) })),
      shape: 'bars',
    },
    table: {
      name,
      caption: `${title}, most requests first`,
      columns: [{ name: what, type: 'text' }, ...countColumns],
      rows: rows.map(one => [nameOf(one), ...cellsOf(one)]),
    },
  };
}
