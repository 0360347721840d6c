import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { DoorName } from './doors.ts';

/** What Prometheus may read of one server. */
export interface Metrics {
  registry: Registry;
  /** Labels have few values: a door and never a path, a known method, a status. */
  observe(door: DoorName, method: string, status: number | 'aborted', seconds: number): void;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'portico_' });
  const requests = new Counter({
    name: 'portico_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['door', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['door'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    registry,
    observe(door, method, status, seconds) {
      requests.inc({ door, method: knownMethods.has(method) ? method : 'other', status });
      durations.observe({ door }, seconds);
    },
  };
}
