import type { Dashboard, Period } from './dashboard.tsx';
import { type ApiCounts, apiSections } from './service-api.ts';
import { type FeedStates, feedSections } from './service-feeds.ts';
import { type HealthCounts, healthSections } from './service-health.ts';
import { type HostingCounts, hostingSections } from './service-hosting.ts';

const owner = { name: 'All accounts', path: '/dashboards/service' } as const;
const related = [
  { name: 'Code hosting', path: '/dashboards/service' },
  { name: 'Health', path: '/dashboards/service/health' },
  { name: 'Feeds', path: '/dashboards/service/feeds' },
] as const;

/** `/dashboards/service` */
export function serviceDashboard(insights: ApiCounts & HostingCounts, query: URLSearchParams): Dashboard {
  const days = daysOf(query);
  const step = query.get('step') === 'hour' ? 'hour' : 'day';
  const requests = insights.apiRequests.reduce((sum, one) => sum + one.requestCount, 0);
  const deliveries = insights.webhookDeliveries.reduce((sum, one) => sum + one.deliveryCount, 0);
  const hours: Period = { label: 'Today', query: 'days=1&step=hour', isShown: days === 1 && step === 'hour' };
  return {
    title: 'Code hosting',
    owner,
    related,
    periods: [hours, ...periodsOf(days, step === 'day', '&step=day')],
    summary: `${requests.toLocaleString('en')} API requests to organizations and ${deliveries.toLocaleString('en')} webhook deliveries. Days are those of UTC.`,
    sections: [...apiSections(insights, step), ...hostingSections(insights, step)],
    variables: { days, step: step.toUpperCase() },
  };
}

/** `/dashboards/service/health` */
export function serviceHealth(insights: HealthCounts, query: URLSearchParams): Dashboard {
  const days = daysOf(query);
  const { countedUntil } = insights;
  const counted = countedUntil === null ? 'No day is counted yet' : `Counted until ${countedUntil}, by days of UTC`;
  return {
    title: 'Health',
    owner,
    related,
    periods: periodsOf(days, true, ''),
    summary: `${counted}. A count of fewer than ten people is left out, because it could identify one of them.`,
    sections: healthSections(insights),
    variables: { days },
  };
}

/** `/dashboards/service/feeds` */
export function serviceFeeds(feeds: FeedStates): Dashboard {
  const failing = feeds.filter(({ failureCount }) => failureCount > 0).length;
  return {
    title: 'Feeds of articles',
    owner,
    related,
    periods: [],
    summary:
      feeds.length === 0
        ? 'There are no subscriptions. `portico articles subscribe` adds one.'
        : `${feeds.length} subscriptions, of which ${failing} failed at the last run. Times are those of UTC.`,
    sections: feedSections(feeds),
    variables: {},
  };
}

function daysOf(query: URLSearchParams): number {
  const sent = Number(query.get('days') ?? 30);
  return Number.isInteger(sent) && sent >= 1 && sent <= 90 ? sent : 30;
}

const periodsOf = (shown: number, isByDay: boolean, more: string): Period[] =>
  [7, 30, 90].map(days => ({
    label: `${days} days`,
    query: `days=${days}${more}`,
    isShown: isByDay && days === shown,
  }));
