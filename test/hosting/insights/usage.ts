import { sql } from 'kysely';
import type { Database } from '../../../src/db/database.ts';
import type { ApiUsageActor } from '../../../src/hosting/insights/api-usage-actor.ts';
import { createUsagePartitions, formatDay } from '../../../src/hosting/insights/usage-partitions.ts';
import { addUsage, type UsageRow } from '../../../src/hosting/insights/write-usage.ts';

/** A stored row of counts. */
export interface Kept {
  org: string;
  minute: string;
  type: string;
  actor: number;
  user: number;
  method: string;
  route: string;
  total: number;
  limited: number;
}

/** All rows since a time, in a fixed order. */
export async function keptSince({ sql: db }: Pick<Database, 'sql'>, since: string): Promise<Kept[]> {
  const { rows } = await sql<Kept>`
    select a.login as org, to_char(u.bucket, 'YYYY-MM-DD HH24:MI') as minute, u.actor_type as type, u.actor_id as actor,
      u.user_id as user, u.method, u.route, u.total, u.limited
    from api_usage u join account a on a.id = u.org_id where u.bucket >= ${since}`.execute(db);
  return inOrder(rows);
}

export function inOrder(rows: Kept[]): Kept[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Polls until `done`, for at most ten seconds, and returns the last value. */
export async function until<Seen>(look: () => Promise<Seen>, done: (seen: Seen) => boolean): Promise<Seen> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const seen = await look();
    if (done(seen) || Date.now() > deadline) return seen;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

export const classic = (id: number, userId: number): ApiUsageActor => ({
  type: 'classic_pat',
  id,
  userId,
  integrationId: null,
});

/** A row to insert; `at` is the start of its minute. */
export type Planted = Pick<UsageRow, 'actor' | 'method' | 'route' | 'total'> &
  Partial<Pick<UsageRow, 'limited' | 'clientErrors' | 'serverErrors'>> & { org: string; at: string };

/** Inserts rows as a gateway does. */
export async function plantUsage(
  { sql: db }: Pick<Database, 'sql'>,
  process: string,
  planted: Planted[],
): Promise<void> {
  const rows = planted.map(({ org, at, limited = 0, clientErrors = 0, serverErrors = 0, ...row }): UsageRow => {
    const minute = Date.parse(at);
    return {
      ...row,
      target: { kind: 'login', value: org },
      minute,
      limited,
      clientErrors,
      serverErrors,
      lastRequest: minute + 30_000,
      lastLimited: limited > 0 ? minute + 20_000 : null,
    };
  });
  await createUsagePartitions(
    db,
    rows.map(({ minute }) => formatDay(new Date(minute))),
  );
  await addUsage(db, { process, sequence: 1, writtenAt: new Date(), rows });
}
