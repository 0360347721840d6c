import { type Kysely, sql } from 'kysely';
import { type Database, inTransaction } from '../../db/database.ts';
import { WriteBatcher } from '../../db/write-batcher.ts';
import { bucketOf } from '../insights/insight-tallies.ts';
import type { DeliveryResult } from './attempt-delivery.ts';
import { deliveryChannel } from './delivery-channel.ts';
import { enqueueDeliveries } from './delivery-job.ts';

/** A delivery attempt to record. */
export interface AttemptRecord {
  at: Date;
  result: DeliveryResult;
  url?: string;
  headers?: Record<string, string>;
  payload?: string;
}

export interface DeliveryRecord extends AttemptRecord {
  id: number;
}

/** A delivery that is postponed because its receiver is over its limits. */
interface DeferredDelivery {
  id: number;
  at: Date;
  /** Absent where it is not built yet. */
  payload?: string;
  delayMs: number;
}

/** Duration from which on a delivery counts as slow. */
const slowSeconds = 1;

/** Limits of one statement. A payload can have 25 MB; most have ten kilobytes. */
const batchLimits = { rows: 100, bytes: 1024 * 1024 };

/** Writes the results of deliveries. Results that are ready at the same time share one statement. */
export interface DeliveryWriter {
  /** Records a finished attempt. */
  recordAttempt(record: DeliveryRecord): Promise<void>;
  /** Postpones a delivery. */
  defer(delivery: DeferredDelivery): Promise<void>;
}

export function deliveryWriter(database: Database): DeliveryWriter {
  const size = { bytesOf: ({ payload }: { payload?: string }) => payload?.length ?? 0, maxBytes: batchLimits.bytes };
  const attempts = new WriteBatcher<DeliveryRecord>({
    maxItems: batchLimits.rows,
    size,
    write: records => recordAttempts(database.sql, records),
  });
  const deferrals = new WriteBatcher<DeferredDelivery>({
    maxItems: batchLimits.rows,
    size,
    write: deliveries => inTransaction(database, db => deferDeliveries(db, deliveries)),
  });
  return { recordAttempt: record => attempts.add(record), defer: delivery => deferrals.add(delivery) };
}

const jsonOrNull = (value: object | null | undefined): string | null => (value == null ? null : JSON.stringify(value));

/** Records attempts. Returns the ids that had not been recorded before, by this or another worker. */
export async function recordAttempts(db: Kysely<unknown>, records: readonly DeliveryRecord[]): Promise<Set<number>> {
  const of = <T>(value: (record: DeliveryRecord) => T): T[] => records.map(value);
  // Asynchronous commit. The jobs are completed later in the same WAL, so a database crash can lose the record only
  // together with the job's completion; then the delivery is sent again.
  const written = await sql<{ id: number }>`
    with soon as materialized (select set_config('synchronous_commit', 'off', true)), written as (
    update webhook_delivery d set delivered_at = n.at, duration = n.duration, status = n.status, status_code = n.status_code,
      url = n.url, request_headers = n.request_headers::jsonb, payload = coalesce(d.payload, n.payload),
      cause = case when n.payload is not null then null else d.cause end, response_headers = n.response_headers::jsonb,
      response_payload = n.response_payload
    from soon, unnest(${of(({ id }) => id)}::bigint[], ${of(({ at }) => at.toISOString())}::timestamptz[],
      ${of(({ result }) => result.duration)}::float8[], ${of(({ result }) => result.status)}::text[],
      ${of(({ result }) => result.statusCode)}::int[], ${of(({ url }) => url ?? '')}::text[],
      ${of(({ headers }) => jsonOrNull(headers))}::text[], ${of(({ payload }) => payload ?? null)}::text[],
      ${of(({ result }) => jsonOrNull(result.responseHeaders))}::text[], ${of(({ result }) => result.responsePayload)}::text[])
      as n (id, at, duration, status, status_code, url, request_headers, payload, response_headers, response_payload)
    where d.id = any(${of(({ id }) => id)}::bigint[]) and d.id = n.id and d.delivered_at is null
      returning d.id, d.app_id, d.delivered_at, d.status, d.status_code, d.duration),
      tallied as (
        insert into insight_tally (metric, bucket, key, outcome, events, seconds)
        select 'delivery', ${bucketOf('hour', sql`delivered_at`)},
          case when status_code < 400 then 'success' when status not like 'Invalid HTTP Response: %' then 'no_response'
            when status_code < 500 then 'client_error' else 'server_error' end,
          case when duration < ${slowSeconds} then 'fast' else 'slow' end, count(*), sum(duration)
        from written group by 1, 2, 3, 4),
      announced as materialized (
        select pg_notify(${deliveryChannel}, app_id::text) from (select distinct app_id from written where app_id is not null) apps)
    select id from written cross join (select count(*) from announced) all_announced`.execute(db);
  return new Set(written.rows.map(({ id }) => id));
}

async function deferDeliveries(db: Kysely<unknown>, deliveries: readonly DeferredDelivery[]): Promise<void> {
  const of = <T>(value: (delivery: DeferredDelivery) => T): T[] => deliveries.map(value);
  await sql`update webhook_delivery d set throttled_at = coalesce(d.throttled_at, n.at), payload = coalesce(n.payload, d.payload),
      cause = case when n.payload is null then d.cause end
    from unnest(${of(({ id }) => id)}::bigint[], ${of(({ at }) => at.toISOString())}::timestamptz[],
      ${of(({ payload }) => payload ?? null)}::text[]) as n (id, at, payload)
    where d.id = any(${of(({ id }) => id)}::bigint[]) and d.id = n.id`.execute(db);
  await enqueueDeliveries(db, deliveries);
}
