import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { CacheLookups } from '../git/object-cache.ts';
import type { ApiName } from './error-responses.ts';

/** Prometheus metrics of one process. */
export interface Metrics {
  registry: Registry;
  /** Labels have few values: an API and an operation instead of a path, a known method, a status. */
  observe(request: ObservedRequest): void;
}

/** One request that has ended. */
export interface ObservedRequest {
  api: ApiName;
  method: string;
  /** The REST operation, service of git, listed GraphQL operation, or type of another one; undefined for other requests. */
  operation: string | undefined;
  status: number | 'aborted';
  seconds: number;
}

interface LabeledCount {
  name: string;
  labels: Readonly<Record<string, string>>;
  count: number;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const countersOnCollect = [
  {
    name: 'limit_refusals_total',
    help: 'Calls that a limit has refused, by limit: primary, points, content, concurrent, those of actions and logins. REDIS_URL or not, of this process.',
    labelNames: ['limit'],
  },
  {
    name: 'slow_clients_total',
    help: 'Connections that were closed because their client did not keep the minimum rate: readers of responses, senders of bodies.',
    labelNames: ['side'],
  },
  {
    name: 'dropped_connections_total',
    help: 'Connections that were closed or refused because the process has as many as its limit of open files leaves room for.',
    labelNames: [],
  },
  {
    name: 'cache_requests_total',
    help: 'What was asked of a cache, by whether it was there: git objects in memory, copies of repositories and archives on disk.',
    labelNames: ['cache', 'result'],
  },
  {
    name: 'graphql_documents_total',
    help: 'GraphQL requests by their document: new ones are parsed, validated and measured, known ones are looked up.',
    labelNames: ['document'],
  },
  {
    name: 'companion_answers_total',
    help: 'Answers of the companion by engine and by safety level of the message.',
    labelNames: ['engine', 'safety'],
  },
  {
    name: 'companion_fallbacks_total',
    help: 'Unusable answers of the language model by reason.',
    labelNames: ['reason'],
  },
  {
    name: 'companion_removed_sentences_total',
    help: 'Sentences of the language model that were not shown, by kind.',
    labelNames: ['kind'],
  },
] as const;

/** With the default of 10 ms an idle gateway wakes 100 times a second to measure the delay of its event loop. */
const eventLoopIntervalMs = 50;

/** @param counts counters of the products, read on collection; names without prefix, and the same labels for each name */
export function createMetrics(counts: () => readonly LabeledCount[] = () => []): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'portico_', eventLoopMonitoringPrecision: eventLoopIntervalMs });
  // Gauges with names of counters; `portico_nodejs_active_resources` and the others beside them have the same by type.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`portico_nodejs_active_${what}_total`);
  const requests = new Counter({
    name: 'portico_http_requests_total',
    help: 'HTTP requests by API, method and status.',
    labelNames: ['api', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response.',
    labelNames: ['api'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  // Two counters and no histogram: 14 buckets for each of 330 operations would be 5,000 series of every gateway.
  const operations = new Counter({
    name: 'portico_operation_requests_total',
    help: 'Requests of operations by API, operation and status. GraphQL: the name of a listed operation, or its type; git: the service.',
    labelNames: ['api', 'operation', 'status'],
    registers: [registry],
  });
  const operationSeconds = new Counter({
    name: 'portico_operation_seconds_total',
    help: 'Time of the requests of operations by API and operation; divided by their number it is the mean.',
    labelNames: ['api', 'operation'],
    registers: [registry],
  });
  for (const { name, help, labelNames } of countersOnCollect) {
    new Counter({
      name: `portico_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        for (const one of counts()) if (one.name === name) this.inc(one.labels, one.count);
      },
    });
  }
  return {
    registry,
    observe({ api, method, operation, status, seconds }) {
      requests.inc({ api, method: knownMethods.has(method) ? method : 'other', status });
      durations.observe({ api }, seconds);
      if (operation === undefined) return;
      operations.inc({ api, operation, status });
      operationSeconds.inc({ api, operation }, seconds);
    },
  };
}

/** The refusals of the rate limiter as metrics. */
export const refusalMetrics = (refusals: ReadonlyMap<string, number>): LabeledCount[] =>
  [...refusals].map(([limit, count]) => ({ name: 'limit_refusals_total', labels: { limit }, count }));

/** Connections that were closed for their slowness as metrics. */
export const slowClientMetrics = ({
  readers,
  senders,
}: Readonly<Record<'readers' | 'senders', number>>): LabeledCount[] => [
  { name: 'slow_clients_total', labels: { side: 'reader' }, count: readers },
  { name: 'slow_clients_total', labels: { side: 'sender' }, count: senders },
];

/** Connections that were not kept as metrics. */
export const connectionMetrics = ({ dropped }: Readonly<{ dropped: number }>): LabeledCount[] => [
  { name: 'dropped_connections_total', labels: {}, count: dropped },
];

/** Lookups in caches as metrics. */
export const cacheMetrics = (caches: Readonly<Record<string, Readonly<CacheLookups>>>): LabeledCount[] =>
  Object.entries(caches).flatMap(([cache, { hits, misses }]) => [
    { name: 'cache_requests_total', labels: { cache, result: 'hit' }, count: hits },
    { name: 'cache_requests_total', labels: { cache, result: 'miss' }, count: misses },
  ]);
