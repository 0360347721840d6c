import { type Kysely, sql } from 'kysely';
import { type Database, inTransaction } from '../../db/database.ts';
import { isMissingPartition } from '../../db/sql-state.ts';
import type { ApiUsageActor } from './api-usage-actor.ts';
import { bucketOf } from './insight-tallies.ts';
import { createUsagePartitions, formatDay } from './usage-partitions.ts';

/** What a request addresses: an owner by login in lower case, or a repository or organization by id. */
export type UsageTarget =
  | { kind: 'login'; value: string }
  | { kind: 'repository'; value: number }
  | { kind: 'organization'; value: number };

/** Requests of one actor to one route within one minute. Times are milliseconds since 1970. */
export interface UsageRow {
  target: UsageTarget;
  actor: ApiUsageActor;
  method: string;
  route: string;
  minute: number;
  total: number;
  limited: number;
  /** Answered with a status from 400 to 499; those of `limited` are not counted again. */
  clientErrors: number;
  /** Answered with a status from 500 on. */
  serverErrors: number;
  lastRequest: number;
  lastLimited: number | null;
}

/** Counts that are written together, exactly once. `sequence` increases with each batch of a process. */
export interface UsageBatch {
  process: string;
  sequence: number;
  writtenAt: Date;
  rows: readonly UsageRow[];
}

/** Adds a batch to the counts unless it was added before. Creates missing partitions. */
export async function writeUsage(database: Database, batch: UsageBatch): Promise<void> {
  try {
    await addUsage(database.sql, batch);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    const days = batch.rows.map(({ minute }) => formatDay(new Date(minute)));
    await inTransaction(database, db => createUsagePartitions(db, days));
    await addUsage(database.sql, batch);
  }
}

/**
 * One atomic statement. `gate` admits a batch only if its sequence is later than the last one of its process; a
 * concurrent retry waits for the row lock and is then rejected. Addresses are resolved to organizations here, once per
 * address, because a request only knows a login or an id; other owners are removed by the join. `address` is
 * materialized, because otherwise the planner resolved every address once per organization. Rows are inserted in key
 * order, so that processes cannot deadlock. The counts of the whole installation are appended by the same statement.
 */
export async function addUsage(db: Kysely<unknown>, { process, sequence, writtenAt, rows }: UsageBatch): Promise<void> {
  const numbers = new Map<string, number>();
  const targets: UsageTarget[] = [];
  const targetNumbers = rows.map(({ target }) => {
    const key = `${target.kind} ${target.value}`;
    const number = numbers.get(key) ?? targets.push(target);
    numbers.set(key, number);
    return number;
  });
  const valuesOf = (kind: UsageTarget['kind']) => targets.map(target => (target.kind === kind ? target.value : null));
  const instant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  await sql`
    with gate as (
      insert into api_usage_process as known (process, sequence, written_at) values (${process}, ${sequence}, ${writtenAt})
      on conflict (process) do update set sequence = excluded.sequence, written_at = excluded.written_at
        where known.sequence < excluded.sequence
      returning 1),
    address as materialized (
      select a.number, coalesce(
          (select now.id from account now where lower(now.login) = a.login),
          (select f.account_id from former_login f where f.login = a.login),
          (select r.owner_id from repository r where r.id = a.repository_id),
          a.organization_id) as owner_id
      from unnest(${valuesOf('login')}::text[], ${valuesOf('repository')}::bigint[],
        ${valuesOf('organization')}::bigint[]) with ordinality as a (login, repository_id, organization_id, number)),
    usage as materialized (
    select o.id as org_id, u.*
    from gate cross join unnest(${targetNumbers}::bigint[],
      ${rows.map(row => instant(row.minute))}::timestamptz[],
      ${rows.map(row => row.actor.type)}::text[], ${rows.map(row => row.actor.id)}::bigint[],
      ${rows.map(row => row.actor.userId)}::bigint[], ${rows.map(row => row.actor.integrationId)}::bigint[],
      ${rows.map(row => row.method)}::text[], ${rows.map(row => row.route)}::text[],
      ${rows.map(row => row.total)}::bigint[], ${rows.map(row => row.limited)}::bigint[],
      ${rows.map(row => row.clientErrors)}::bigint[], ${rows.map(row => row.serverErrors)}::bigint[],
      ${rows.map(row => instant(row.lastRequest))}::timestamptz[],
      ${rows.map(row => instant(row.lastLimited))}::timestamptz[])
      as u (address, bucket, actor_type, actor_id, user_id, integration_id, method, route, total, limited, client_errors,
        server_errors, last_request, last_limited)
    join address a on a.number = u.address join account o on o.id = a.owner_id and o.kind = 'organization'),
    tallied as (
    insert into insight_tally (metric, bucket, key, outcome, events)
    select m.metric, m.bucket, m.key, c.outcome, sum(c.events) from usage u
    cross join lateral (values
      ('api_actor_type', ${bucketOf('hour', sql`u.bucket`)}, u.actor_type),
      ('api_organization', ${bucketOf('day', sql`u.bucket`)}, u.org_id::text),
      ('api_route', ${bucketOf('day', sql`u.bucket`)}, u.method || ' ' || u.route)) as m (metric, bucket, key)
    cross join lateral (values
      ('success', u.total - u.limited - u.client_errors - u.server_errors), ('limited', u.limited),
      ('client_error', u.client_errors), ('server_error', u.server_errors)) as c (outcome, events)
    where c.events > 0 group by 1, 2, 3, 4)
    insert into api_usage as kept (org_id, bucket, minutes, actor_type, actor_id, user_id, integration_id, method, route,
      total, limited, last_request, last_limited)
    select u.org_id, u.bucket, 1, u.actor_type, u.actor_id, u.user_id, max(u.integration_id), u.method, u.route,
      sum(u.total), sum(u.limited), max(u.last_request), max(u.last_limited)
    from usage u
    group by u.org_id, u.bucket, u.actor_type, u.actor_id, u.user_id, u.method, u.route
    order by u.org_id, u.bucket, u.actor_type, u.actor_id, u.user_id, u.method, u.route
    on conflict (org_id, bucket, actor_type, actor_id, user_id, method, route) do update set
      total = kept.total + excluded.total, limited = kept.limited + excluded.limited,
      last_request = greatest(kept.last_request, excluded.last_request),
      last_limited = greatest(kept.last_limited, excluded.last_limited)`.execute(db);
}
