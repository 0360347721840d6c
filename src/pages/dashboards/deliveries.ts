import { ProblemError } from 'operation-rest';
import type { PageInfo } from '../hosting/next-page.tsx';
import type { ChartData } from './chart-data.ts';
import type { Dashboard, Section } from './dashboard.tsx';
import { type RowForm, shareOf } from './data-table.tsx';
import type { Variables } from './explorer-query.ts';

interface Delivery {
  id: string;
  event: string;
  action: string | null;
  deliveredAt: string | null;
  /** In seconds. */
  duration: number | null;
  status: string | null;
  statusCode: number | null;
  isRedelivery: boolean;
}

interface Receiver {
  url: string | null;
  deliveries: { nodes: readonly Delivery[] };
  all: { totalCount: number };
  failed: { totalCount: number };
}

type Hook = Receiver & { isActive: boolean };

interface Hooks {
  hooks: { totalCount: number; pageInfo: PageInfo; nodes: readonly Hook[] } | null;
}

/** Rows of the table of deliveries, and columns of the chart of latencies. */
const maxDeliveries = 100;
const maxBars = 12;
const redeliveryWindowMs = 3 * 24 * 60 * 60_000;

type Kind = 'hook' | 'app';
type Named = Pick<Dashboard, 'owner'> & { variables: Variables };

/** `/{owner}/{repo}/dashboards/deliveries`. @throws ProblemError `not-found` for those who do not administer it */
export function repositoryDeliveries(
  { nameWithOwner, resourcePath, hooks }: Hooks & { nameWithOwner: string; resourcePath: string },
  query: URLSearchParams,
  now: Date,
): Dashboard {
  const [owner = '', repo = ''] = nameWithOwner.split('/');
  const named = { owner: { name: nameWithOwner, path: resourcePath }, variables: { owner, repo } };
  return deliveriesOfHooks(hooks, named, query, now);
}

/** `/orgs/{org}/dashboards/deliveries`. @throws ProblemError `not-found` for those who do not administer it */
export function organizationDeliveries(
  { login, hooks }: Hooks & { login: string },
  query: URLSearchParams,
  now: Date,
): Dashboard {
  const named = { owner: { name: login, path: `/${login}` }, variables: { org: login } };
  return deliveriesOfHooks(hooks, named, query, now);
}

/** `/apps/{slug}/dashboards/deliveries`. @throws ProblemError `not-found` for those who do not manage the app */
export function appDeliveries(
  { name, slug, webhook }: { name: string; slug: string; webhook: (Receiver & { disabledAt: string | null }) | null },
  query: URLSearchParams,
  now: Date,
): Dashboard {
  if (!webhook) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
  const named = { owner: { name, path: `/apps/${slug}` }, variables: { slug } };
  const hooks = webhook.url === null ? [] : [{ ...webhook, isActive: webhook.disabledAt === null }];
  return deliveries(hooks, 'app', named, query, now);
}

function deliveriesOfHooks(hooks: Hooks['hooks'], named: Named, query: URLSearchParams, now: Date): Dashboard {
  if (!hooks) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
  const { nodes, pageInfo, totalCount } = hooks;
  const after = query.get('after');
  const shown = deliveries(nodes, 'hook', named, query, now);
  return {
    ...shown,
    summary: `${nodes.length} of ${totalCount} webhooks: ${shown.summary}`,
    pageInfo,
    variables: { ...shown.variables, ...(after === null ? {} : { after }) },
  };
}

function deliveries(
  hooks: readonly Hook[],
  kind: Kind,
  { owner, variables }: Named,
  query: URLSearchParams,
  now: Date,
): Dashboard {
  const isFailures = query.get('outcome') === 'failure';
  const sum = (count: (hook: Hook) => number): number => hooks.reduce((total, hook) => total + count(hook), 0);
  const [all, failed] = [sum(hook => hook.all.totalCount), sum(hook => hook.failed.totalCount)];
  return {
    title: 'Webhook deliveries',
    owner,
    choices: 'Outcome',
    periods: [
      { label: 'All deliveries', query: 'outcome=', isShown: !isFailures },
      { label: 'Failures', query: 'outcome=failure', isShown: isFailures },
    ],
    summary: `${all.toLocaleString('en')} deliveries of the last 30 days, ${failed.toLocaleString('en')} of them failed (${((shareOf(failed, all) ?? 0) * 100).toFixed(1)} %).`,
    sections: [hookSection(hooks), ...deliverySections(hooks, kind, now)],
    variables: { ...variables, ...(isFailures ? { outcome: 'FAILURE' } : {}) },
  };
}

function hookChart(hooks: readonly Hook[]): ChartData {
  return {
    id: 'hooks-chart',
    title: `Deliveries of the last 30 days by webhook${hooks.length > maxBars ? `, the first ${maxBars}` : ''}`,
    summary: hooks.map(one => `${one.url}: ${one.failed.totalCount} of ${one.all.totalCount} failed`).join('. '),
    series: ['succeeded or pending', 'failed'],
    points: hooks.slice(0, maxBars).map(({ url, all, failed }) => ({
      label: url ?? '',
      values: [all.totalCount - failed.totalCount, failed.totalCount],
    })),
    shape: 'bars',
  };
}

function hookSection(hooks: readonly Hook[]): Section {
  return {
    heading: 'By webhook',
    chart: hooks.some(one => one.all.totalCount > 0) ? hookChart(hooks) : undefined,
    table: {
      name: 'hooks',
      caption: 'Webhooks and their deliveries of the last 30 days',
      columns: [
        { name: 'URL', type: 'text' },
        { name: 'Active', type: 'text' },
        { name: 'Deliveries', type: 'number' },
        { name: 'Failed', type: 'number' },
        { name: 'Share failed', type: 'share' },
        { name: 'Newest response', type: 'text' },
        { name: 'Median latency of the newest, s', type: 'number' },
      ],
      rows: hooks.map(({ url, isActive, all, failed, deliveries: { nodes } }) => [
        url,
        isActive ? 'yes' : 'no',
        all.totalCount,
        failed.totalCount,
        shareOf(failed.totalCount, all.totalCount),
        nodes[0]?.status ?? null,
        medianOf(nodes.flatMap(({ duration }) => duration ?? [])),
      ]),
    },
  };
}

function deliverySections(hooks: readonly Hook[], kind: Kind, now: Date): Section[] {
  const newest = hooks
    .flatMap(({ url, deliveries: { nodes } }) => nodes.map(delivery => ({ url, delivery })))
    .sort((a, b) => (b.delivery.deliveredAt ?? '~').localeCompare(a.delivery.deliveredAt ?? '~'))
    .slice(0, maxDeliveries);
  const measured = newest.filter(({ delivery }) => delivery.duration !== null).reverse();
  return [
    {
      heading: 'Deliveries',
      chart: {
        id: 'latency-chart',
        title: 'Seconds until the response, of the newest deliveries',
        summary: `${measured.length} deliveries with a response.`,
        series: ['seconds'],
        points: measured.map(({ delivery }) => ({
          label: delivery.deliveredAt?.slice(5, 16).replace('T', ' ') ?? '',
          values: [delivery.duration],
        })),
        shape: 'lines',
      },
      table: {
        name: 'deliveries',
        caption: `The newest ${newest.length} deliveries`,
        isOpen: true,
        columns: [
          { name: 'Event', type: 'text' },
          { name: 'URL', type: 'text' },
          { name: 'Sent', type: 'time' },
          { name: 'Code', type: 'number' },
          { name: 'Status', type: 'text' },
          { name: 'Seconds', type: 'number' },
          { name: 'Sent again', type: 'text' },
        ],
        rows: newest.map(({ url, delivery: one }) => [
          one.action === null ? one.event : `${one.event}.${one.action}`,
          url,
          one.deliveredAt,
          one.statusCode,
          one.status,
          one.duration,
          one.isRedelivery ? 'yes' : 'no',
        ]),
        forms: newest.map(({ delivery }) => redeliveryForm(delivery, kind, now)),
      },
    },
  ];
}

/** Undefined for a delivery that cannot be sent again. */
function redeliveryForm({ id, deliveredAt }: Delivery, kind: Kind, now: Date): RowForm | undefined {
  if (deliveredAt === null || Date.parse(deliveredAt) < now.getTime() - redeliveryWindowMs) return undefined;
  return { path: '/webhooks/deliveries/redeliver', label: 'Redeliver', fields: { delivery: id, action: kind } };
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}
