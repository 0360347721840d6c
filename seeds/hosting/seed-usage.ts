import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { ApiUsageActor } from '../../src/hosting/insights/api-usage-actor.ts';
import { createUsagePartitions, formatDay } from '../../src/hosting/insights/usage-partitions.ts';
import { addUsage, type UsageRow } from '../../src/hosting/insights/write-usage.ts';

const hourMs = 60 * 60_000;

/** Requests per hour of each demo credential. */
const usagePatterns = [
  { who: 'installation', method: 'GET', route: '/repositories/:repository_id/contents/:path', perHour: 60 },
  { who: 'installation', method: 'PUT', route: '/repositories/:repository_id/contents/:path', perHour: 6 },
  { who: 'installation', method: 'GET', route: '/repositories/:repository_id/git/commits/:commit_sha', perHour: 18 },
  { who: 'classic wren', method: 'GET', route: '/organizations/:organization_id', perHour: 4 },
  { who: 'fine_grained juniper', method: 'GET', route: '/repositories/:repository_id/readme', perHour: 9 },
  { who: 'oauth juniper', method: 'POST', route: '/graphql', perHour: 12 },
  { who: 'user_to_server juniper', method: 'GET', route: '/repositories/:repository_id', perHour: 5 },
] as const;

interface CredentialHolder {
  who: string;
  type: ApiUsageActor['type'];
  id: number;
  userId: number;
  integrationId: number | null;
}

/** Seeds two days of request statistics for API insights. */
export async function seedUsage(db: Kysely<unknown>, now: Date): Promise<void> {
  const { rows: holders } = await sql<CredentialHolder>`
    select c.kind || coalesce(' ' || a.login, '') as who, coalesce(c.account_id, 0) as "userId", c.app_id as "integrationId",
      case c.kind when 'installation' then c.installation_id when 'oauth' then c.oauth_app_id
        when 'user_to_server' then c.app_id else c.id end as id,
      case c.kind when 'classic' then 'classic_pat' when 'fine_grained' then 'fine_grained_pat' when 'oauth' then 'oauth_app'
        else c.kind end as type
    from host_credential c left join account a on a.id = c.account_id where c.kind not in ('workflow', 'service')`.execute(
    db,
  );
  const known = new Map(holders.map(({ who, ...actor }) => [who, actor]));
  const start = Math.floor(now.getTime() / hourMs) * hourMs;
  const rows: UsageRow[] = [];
  for (let ago = 48; ago >= 1; ago--) {
    const minute = start - ago * hourMs;
    // Less at night, and a rate-limited burst every twelve hours.
    const share = 0.4 + 0.6 * Math.sin((((minute / hourMs) % 24) / 24) * Math.PI);
    for (const { who, method, route, perHour } of usagePatterns) {
      const actor = known.get(who);
      if (!actor) throw new Error(`The demo data has no credential ${who}.`);
      const limited = ago % 12 === 0 && who === 'installation' && method === 'GET' ? 3 : 0;
      rows.push({
        target: { kind: 'login', value: 'harbor-lab' },
        actor,
        method,
        route,
        minute,
        total: Math.ceil(perHour * share) + limited,
        limited,
        clientErrors: ago % 5 === 0 && method === 'GET' ? 1 : 0,
        serverErrors: 0,
        lastRequest: minute + 41_000,
        lastLimited: limited > 0 ? minute + 40_000 : null,
      });
    }
  }
  await createUsagePartitions(
    db,
    rows.map(row => formatDay(new Date(row.minute))),
  );
  await addUsage(db, { process: randomUUID(), sequence: 1, writtenAt: now, rows });
}

/** Deliveries per hour by answer, and how many of them take a second or longer. */
const deliveryPatterns = [
  { answer: 'success', perHour: 24, slow: 2 },
  { answer: 'client_error', perHour: 1, slow: 0 },
  { answer: 'server_error', perHour: 2, slow: 1 },
  { answer: 'no_response', perHour: 1, slow: 1 },
] as const;

/** Seeds two days of counts of webhook deliveries, for the dashboard of the installation. */
export async function seedDeliveryCounts(db: Kysely<unknown>, now: Date): Promise<void> {
  const start = Math.floor(now.getTime() / hourMs) * hourMs;
  for (let ago = 48; ago >= 1; ago--) {
    const bucket = new Date(start - ago * hourMs);
    for (const { answer, perHour, slow } of deliveryPatterns) {
      if (answer !== 'success' && ago % 6 !== 0) continue;
      await sql`insert into insight_tally (metric, bucket, key, outcome, events, seconds)
        select 'delivery', ${bucket}, ${answer}, c.outcome, c.events, c.seconds
        from (values ('fast', ${perHour - slow}::int, ${(perHour - slow) * 0.2}::float8),
          ('slow', ${slow}::int, ${slow * 2.5}::float8)) as c (outcome, events, seconds)
        where c.events > 0`.execute(db);
    }
  }
}
