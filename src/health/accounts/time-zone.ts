import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { InputChecks } from '../input/input-checks.ts';

/** What a day is for a person whose profile names no zone. */
export const userTimeZone = (userId: number): RawBuilder<string> =>
  sql`(select coalesce(time_zone, 'UTC') from users where id = ${userId})`;

/**
 * The zone as PostgreSQL spells it, for one that PostgreSQL and JavaScript both know: statements count days in it, and
 * clients show times in it. PostgreSQL alone also knows `posix/…`, JavaScript alone knows `+02:00`.
 */
export async function checkTimeZone(
  db: Kysely<unknown>,
  zone: string | null,
  checks: InputChecks,
): Promise<string | null> {
  const name = zone?.trim();
  if (!name) return null;
  const known = isKnownToIntl(name)
    ? await sql<{ name: string }>`select name from pg_timezone_names where lower(name) = lower(${name})
        order by name = ${name} desc limit 1`.execute(db)
    : { rows: [] };
  const [found] = known.rows;
  if (!found) checks.add('time_zone', `"${name.slice(0, 50)}" is not a valid choice.`);
  return found?.name ?? null;
}

function isKnownToIntl(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
