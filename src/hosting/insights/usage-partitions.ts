import { type Kysely, sql } from 'kysely';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** Formats the UTC day: `2026-11-21`. */
export function formatDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

const partitionName = (date: string): string => `api_usage_${date.replaceAll('-', '')}`;

const nextDay = (date: string): string => formatDay(new Date(Date.parse(date) + dayMs));

/** Creates the partitions of these days unless they exist. An advisory lock serializes processes. */
export async function createUsagePartitions(db: Kysely<unknown>, dates: readonly string[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('api_usage days'))`.execute(db);
  for (const date of new Set(dates)) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new TypeError(`${date} is not a date (YYYY-MM-DD).`);
    // Partition names and bounds cannot be parameters.
    const [table, from, to] = [partitionName(date), `${date} 00:00:00+00`, `${nextDay(date)} 00:00:00+00`];
    await sql
      .raw(`create table if not exists ${table} partition of api_usage for values from ('${from}') to ('${to}')`)
      .execute(db);
  }
}

/** Days that have a partition, oldest first. */
export async function listUsageDays(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'api_usage'::regclass order by c.relname`.execute(db);
  return rows.map(({ name }) => name.replace(/^api_usage_(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'));
}

/**
 * Rolls the minutes of a day, or of one hour of it, up to hours, in one statement. Idempotent: late counts are inserted as minutes and
 * rolled up by the next run.
 */
export async function rollUpUsage(db: Kysely<unknown>, date: string, hour?: number): Promise<void> {
  const start = Date.parse(`${date}T00:00:00Z`) + (hour ?? 0) * hourMs;
  const [from, to] = [new Date(start), new Date(start + (hour === undefined ? dayMs : hourMs))];
  const within = sql`bucket >= ${from} and bucket < ${to}`;
  const { rows } = await sql`select 1 from api_usage where ${within} and minutes = 1 limit 1`.execute(db);
  if (rows.length === 0) return;
  await sql`
    with taken as (delete from api_usage where ${within} returning *)
    insert into api_usage (org_id, bucket, minutes, actor_type, actor_id, user_id, integration_id, method, route,
      total, limited, last_request, last_limited)
    select org_id, date_trunc('hour', bucket, 'UTC'), 60, actor_type, actor_id, user_id, max(integration_id), method, route,
      sum(total), sum(limited), max(last_request), max(last_limited)
    from taken group by 1, 2, 4, 5, 6, method, route`.execute(db);
}

/**
 * Drops the partition of a day. Fails after two seconds while a reader holds a lock, because all other queries would
 * queue behind.
 */
export async function dropUsagePartition(db: Kysely<unknown>, date: string): Promise<void> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new TypeError(`${date} is not a date (YYYY-MM-DD).`);
  await sql`set local lock_timeout = '2s'`.execute(db);
  await sql.raw(`drop table if exists ${partitionName(date)}`).execute(db);
}
