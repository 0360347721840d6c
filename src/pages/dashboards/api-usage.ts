import { ProblemError } from 'operation-rest';
import type { ChartData } from './chart-data.ts';
import type { Dashboard, Period, Section } from './dashboard.tsx';
import { type Column, shareOf } from './data-table.tsx';

interface Counts {
  requestCount: number;
  limitedCount: number;
}

interface List<Node> {
  totalCount: number;
  nodes: readonly (Node & Counts & { lastRequestAt: string })[];
}

export interface ApiUsageBody {
  login: string;
  apiInsights: {
    summary: Counts;
    timeSeries: readonly (Counts & { startsAt: string })[];
    routes: List<{ method: string; route: string }>;
    actors: List<{ type: string; actorName: string }>;
    subjects: List<{ type: string; subjectName: string }>;
  } | null;
}

/** Bars of a chart; the table below it has all rows. */
const maxBars = 10;

const countColumns: readonly Column[] = [
  { name: 'Requests', type: 'number' },
  { name: 'Answered', type: 'number' },
  { name: 'Rate-limited', type: 'number' },
  { name: 'Share rate-limited', type: 'share' },
];

const countCells = ({ requestCount, limitedCount }: Counts) => [
  requestCount,
  requestCount - limitedCount,
  limitedCount,
  shareOf(limitedCount, requestCount),
];

const valuesOf = ({ requestCount, limitedCount }: Counts): number[] => [requestCount - limitedCount, limitedCount];
const series = ['answered', 'rate-limited'];

/** `/orgs/{org}/dashboards/api-usage`. @throws ProblemError `not-found` for those who may not read the usage */
export function organizationApiUsage({ login, apiInsights }: ApiUsageBody, query: URLSearchParams): Dashboard {
  if (!apiInsights) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
  const { summary, timeSeries, routes, actors, subjects } = apiInsights;
  const { days, step, periods } = periodsOf(query);
  const share = shareOf(summary.limitedCount, summary.requestCount) ?? 0;
  const count = summary.requestCount.toLocaleString('en');
  return {
    title: 'API usage',
    owner: { name: login, path: `/${login}` },
    periods,
    summary: `${count} requests, ${summary.limitedCount.toLocaleString('en')} of them rate-limited (${(share * 100).toFixed(1)} %).`,
    sections: [
      timeSection(timeSeries, step.endsWith('d')),
      listSection('routes', 'Route', routes, ({ method, route }) => [method.toUpperCase(), route]),
      listSection('actors', 'Token or app', actors, ({ type, actorName }) => [type, actorName]),
      listSection('subjects', 'User, installation or workflow', subjects, ({ type, subjectName }) => [
        type,
        subjectName,
      ]),
    ],
    variables: { org: login, days, step },
  };
}

/** The periods to choose from. Counts are kept for 90 days. */
function periodsOf(query: URLSearchParams): { days: number; step: string; periods: Period[] } {
  const sent = Number(query.get('days') ?? 30);
  const days = Number.isInteger(sent) && sent >= 1 && sent <= 90 ? sent : 30;
  const step = query.get('step') ?? '1d';
  const choices = [
    { label: '24 hours', days: 1, step: '1h' },
    { label: '7 days', days: 7, step: '1d' },
    { label: '30 days', days: 30, step: '1d' },
    { label: '90 days', days: 90, step: '1d' },
  ];
  const periods = choices.map(one => ({
    label: one.label,
    query: new URLSearchParams({ days: String(one.days), step: one.step }).toString(),
    isShown: one.days === days && one.step === step,
  }));
  return { days, step, periods };
}

function timeSection(buckets: readonly (Counts & { startsAt: string })[], isDaily: boolean): Section {
  const points = buckets.map(one => ({
    label: isDaily ? one.startsAt.slice(5, 10) : one.startsAt.slice(11, 16),
    values: valuesOf(one),
  }));
  const highest = buckets.reduce(
    (best, one) => (one.requestCount > (best?.requestCount ?? -1) ? one : best),
    buckets[0],
  );
  const chart: ChartData = {
    id: 'time-chart',
    title: 'Requests by time',
    summary: highest
      ? `${buckets.length} steps in UTC. The highest, from ${highest.startsAt}, has ${highest.requestCount} requests.`
      : 'No steps.',
    series,
    points,
    shape: 'columns',
  };
  return {
    heading: 'By time',
    chart,
    table: {
      name: 'time',
      caption: 'Requests by time, UTC. The first and the last step can be partial.',
      columns: [{ name: 'From', type: 'time' }, ...countColumns],
      rows: buckets.map(one => [one.startsAt, ...countCells(one)]),
    },
  };
}

function listSection<Node>(
  name: string,
  what: string,
  { totalCount, nodes }: List<Node>,
  namesOf: (node: Node) => [kind: string, name: string],
): Section {
  const points = nodes.slice(0, maxBars).map(one => ({ label: namesOf(one).join(' '), values: valuesOf(one) }));
  const [first] = nodes;
  const shown =
    totalCount > nodes.length ? `the ${nodes.length} of ${totalCount} with most requests` : `all ${totalCount}`;
  return {
    heading: `By ${what.charAt(0).toLowerCase()}${what.slice(1)}`,
    chart: {
      id: `${name}-chart`,
      title: `Requests by ${what.toLowerCase()}`,
      summary: first ? `The first, ${namesOf(first).join(' ')}, has ${first.requestCount} requests.` : 'No requests.',
      series,
      points,
      shape: 'bars',
    },
    table: {
      name,
      caption: `Requests by ${what.toLowerCase()}: ${shown}`,
      columns: [
        { name: name === 'routes' ? 'Method' : 'Type', type: 'text' },
        { name: what, type: 'text' },
        ...countColumns,
        { name: 'Last request', type: 'time' },
      ],
      rows: nodes.map(one => [...namesOf(one), ...countCells(one), one.lastRequestAt]),
    },
  };
}
