import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Read } from '../db/read.ts';
import { jobsSchema } from '../jobs/jobs-database.ts';
import { BoundedSnapshot } from './bounded-snapshot.ts';
import type { WebSocketCounts } from './websocket-slots.ts';

/** What the gauges below read when Prometheus asks. */
export interface ServiceStates {
  /** On the connections of jobs, so that a slow count delays no request. */
  read: Read;
  /** The number of deleted accounts that should have been erased a day ago. */
  overdueErasures(): Promise<number>;
  /** The number of feeds of articles without a successful run for long. */
  lateFeeds(): Promise<number>;
  sockets(): WebSocketCounts;
  /** Whether the limits are shared now; undefined without a shared store. */
  areLimitsShared(): boolean | undefined;
}

/** Gauges of what a gateway depends on and holds. Those of jobs are of the database: every gateway reports the same. */
export function registerServiceMetrics(
  registry: Registry,
  { read, overdueErasures, lateFeeds, sockets, areLimitsShared }: ServiceStates,
): void {
  const registers = [registry];
  // Gauges are collected at the same time: one query serves all, and none waits for a database that does not answer.
  const waiting = new BoundedSnapshot(() => waitingJobs(read));
  const failed = new BoundedSnapshot(() => failedJobs(read), keptMs);
  const parked = new BoundedSnapshot(() => parkedJobs(read));
  const schedules = new BoundedSnapshot(() => listSchedules(read));
  const overdue = new BoundedSnapshot(overdueErasures, keptMs);
  const late = new BoundedSnapshot(lateFeeds, keptMs);
  const gauge = <Row>(
    { name, help, labelNames = ['queue'] }: { name: string; help: string; labelNames?: string[] },
    rows: () => Promise<readonly Row[] | undefined>,
    valuesOf: (row: Row) => readonly (readonly [labels: Record<string, string>, value: number])[],
  ): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const found = await rows();
        this.reset();
        for (const row of found ?? []) for (const [labels, value] of valuesOf(row)) this.set(labels, value);
      },
    });
  };
  gauge(
    {
      name: 'portico_jobs',
      help: 'Jobs that wait, by queue: due ones, and those that are scheduled or tried again later. The same on every gateway.',
      labelNames: ['queue', 'state'],
    },
    () => waiting.read(),
    ({ queue, due, later }) => [
      [{ queue, state: 'due' }, due],
      [{ queue, state: 'later' }, later],
    ],
  );
  gauge(
    {
      name: 'portico_job_wait_seconds',
      help: 'Time that the oldest job of a queue has been due for, which no worker has taken.',
    },
    () => waiting.read(),
    ({ queue, oldestSeconds }) => [[{ queue }, oldestSeconds]],
  );
  gauge(
    {
      name: 'portico_job_age_seconds',
      help: 'Time since the oldest waiting job of a queue was enqueued, whether it is due, postponed or tried again later.',
    },
    () => waiting.read(),
    ({ queue, ageSeconds }) => [[{ queue }, ageSeconds]],
  );
  gauge(
    {
      name: 'portico_jobs_failed',
      help: 'Jobs that have failed for good and are still stored, by queue. The same on every gateway.',
    },
    () => failed.read(),
    ({ queue, count }) => [[{ queue }, count]],
  );
  gauge(
    {
      name: 'portico_jobs_parked',
      help: 'Jobs that do not run again because their attempts have killed the process, by queue. The same on every gateway.',
    },
    () => parked.read(),
    ({ queue, count }) => [[{ queue }, count]],
  );
  gauge(
    {
      name: 'portico_schedule_success_timestamp_seconds',
      help: 'When the scheduled job of a queue has last succeeded, or was first scheduled. The same on every gateway.',
    },
    () => schedules.read(),
    ({ queue, succeededAt }) => [[{ queue }, succeededAt]],
  );
  gauge(
    { name: 'portico_schedule_interval_seconds', help: 'Time between two runs of the scheduled job of a queue.' },
    () => schedules.read(),
    ({ queue, intervalSeconds }) => [[{ queue }, intervalSeconds]],
  );
  new Gauge({
    name: 'portico_erasures_overdue',
    help: 'Deleted accounts that should have been erased a day ago or earlier. The same on every gateway.',
    registers,
    async collect() {
      const count = await overdue.read();
      this.reset();
      if (count !== undefined) this.set(count);
    },
  });
  new Gauge({
    name: 'portico_feeds_late',
    help: 'Subscriptions to feeds without a successful run for three intervals and an hour. The same on every gateway.',
    registers,
    async collect() {
      const count = await late.read();
      this.reset();
      if (count !== undefined) this.set(count);
    },
  });
  new Gauge({
    name: 'portico_jobs_readable',
    help: '1 when the waiting jobs could be counted within half a second; with 0, their gauges are absent.',
    registers,
    async collect() {
      this.set((await waiting.read()) ? 1 : 0);
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

/** A count of many rows may take longer than a scrape waits: the last one serves for so long. */
const keptMs = 120_000;

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

/** pg-boss deletes them some days after their end. */
const failedJobs = (read: Read): Promise<{ queue: string; count: number }[]> =>
  read(
    sql`select name as queue, count(*)::int as count from ${sql.table(`${jobsSchema}.job`)} where state = 'failed' group by 1`,
  );

interface ScheduleState {
  queue: string;
  succeededAt: number;
  intervalSeconds: number;
}

const listSchedules = (read: Read): Promise<ScheduleState[]> =>
  read(sql<ScheduleState>`select queue, extract(epoch from at)::float8 as "succeededAt", interval_seconds as "intervalSeconds"
    from ${sql.table(`${jobsSchema}.schedule_success`)}`);
