import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Read } from '../db/read.ts';
import { jobsSchema } from '../jobs/jobs-database.ts';
import type { WebSocketCounts } from './websocket-slots.ts';

/** What the gauges below read when Prometheus asks. */
export interface ServiceStates {
  /** On the connections of jobs, so that a slow count delays no request. */
  read: Read;
  sockets(): WebSocketCounts;
  /** Whether the limits are shared now; undefined without a shared store. */
  areLimitsShared(): boolean | undefined;
}

/** Gauges of what a gateway depends on and holds. Those of jobs are of the database: every gateway reports the same. */
export function registerServiceMetrics(registry: Registry, { read, sockets, areLimitsShared }: ServiceStates): void {
  const registers = [registry];
  // Gauges are collected at the same time: one query serves all.
  let counting: Promise<WaitingJobs[] | undefined> | undefined;
  const countJobs = (): Promise<WaitingJobs[] | undefined> => {
    counting ??= waitingJobs(read)
      .catch(() => undefined)
      .finally(() => {
        counting = undefined;
      });
    return counting;
  };
  new Gauge({
    name: 'portico_jobs',
    help: 'Jobs that wait, by queue: due ones, and those that are scheduled or tried again later. The same on every gateway.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      const rows = await countJobs();
      this.reset();
      for (const { queue, due, later } of rows ?? []) {
        this.set({ queue, state: 'due' }, due);
        this.set({ queue, state: 'later' }, later);
      }
    },
  });
  new Gauge({
    name: 'portico_job_wait_seconds',
    help: 'Time that the oldest job of a queue has been due for, which no worker has taken.',
    labelNames: ['queue'],
    registers,
    async collect() {
      const rows = await countJobs();
      this.reset();
      for (const { queue, oldestSeconds } of rows ?? []) this.set({ queue }, oldestSeconds);
    },
  });
  new Gauge({
    name: 'portico_job_age_seconds',
    help: 'Time since the oldest waiting job of a queue was enqueued, whether it is due, postponed or tried again later.',
    labelNames: ['queue'],
    registers,
    async collect() {
      const rows = await countJobs();
      this.reset();
      for (const { queue, ageSeconds } of rows ?? []) this.set({ queue }, ageSeconds);
    },
  });
  new Gauge({
    name: 'portico_jobs_parked',
    help: 'Jobs that do not run again because their attempts have killed the process, by queue. The same on every gateway.',
    labelNames: ['queue'],
    registers,
    async collect() {
      const rows = await parkedJobs(read).catch(() => []);
      this.reset();
      for (const { queue, count } of rows) this.set({ queue }, count);
    },
  });
  new Gauge({
    name: 'portico_jobs_readable',
    help: '1 when the waiting jobs could be counted; with 0, their gauges are absent.',
    registers,
    async collect() {
      this.set((await countJobs()) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'portico_websockets',
    help: 'Open WebSockets: of authenticated callers, and others.',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, unidentified } = sockets();
      this.set({ state: 'authenticated' }, open - unidentified);
      this.set({ state: 'unidentified' }, unidentified);
    },
  });
  if (areLimitsShared() === undefined) return;
  new Gauge({
    name: 'portico_limits_shared',
    help: '1 while the rate limits are counted in Redis for all gateways, 0 while this process counts for itself.',
    registers,
    collect() {
      this.set(areLimitsShared() ? 1 : 0);
    },
  });
}

interface WaitingJobs {
  queue: string;
  due: number;
  later: number;
  oldestSeconds: number;
  ageSeconds: number;
}

/** The condition is that of the partial index by which workers find jobs: jobs that have ended are not read. */
const waitingJobs = (read: Read): Promise<WaitingJobs[]> =>
  read(sql<WaitingJobs>`
    select name as queue, (count(*) filter (where start_after <= now()))::int as due,
      (count(*) filter (where start_after > now()))::int as later,
      coalesce(extract(epoch from now() - min(start_after) filter (where start_after <= now())), 0)::float8 as "oldestSeconds",
      greatest(extract(epoch from now() - min(created_on)), 0)::float8 as "ageSeconds"
    from ${sql.table(`${jobsSchema}.job`)} where state < 'active' and not blocked group by 1`);

const parkedJobs = (read: Read): Promise<{ queue: string; count: number }[]> =>
  read(sql`select queue, count(*)::int as count from ${sql.table(`${jobsSchema}.attempt`)}
    where parked_at is not null group by 1`);
