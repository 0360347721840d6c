import DataLoader from 'dataloader';
import type { ApiTimeBucket } from '../../../schema/hosting/api-insights.ts';
import type { Context } from '../../context/context.ts';
import { type InsightScope, seriesByRoute } from './insights.queries.ts';
import type { Buckets } from './time-range.ts';

interface RouteKey {
  method: string;
  route: string;
}

type SeriesLoader = DataLoader<RouteKey, ApiTimeBucket[], string>;

/** By the filter, an object of one request, and the steps. */
const loaders = new WeakMap<InsightScope, Map<string, SeriesLoader>>();

/** Loads the time series of routes: one statement for all routes of a page with the same steps. */
export function routeSeries(
  context: Pick<Context, 'read' | 'config'>,
  scope: InsightScope,
  buckets: Buckets,
): SeriesLoader {
  const ofScope = loaders.get(scope) ?? new Map<string, SeriesLoader>();
  loaders.set(scope, ofScope);
  const steps = JSON.stringify(buckets);
  const known = ofScope.get(steps);
  if (known) return known;
  const loader: SeriesLoader = new DataLoader(routes => seriesByRoute(context, scope, buckets, routes), {
    cacheKeyFn: ({ method, route }) => `${method} ${route}`,
  });
  ofScope.set(steps, loader);
  return loader;
}
