import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { InputChecks } from '../input/input-checks.ts';

/** Time zone of a user's profile, `UTC` when it has none. */
export const userTimeZone = (userId: number): RawBuilder<string> =>
  sql`(select coalesce(time_zone, 'UTC') from users where id = ${userId})`;

/**
 * Returns the PostgreSQL spelling of a zone that both PostgreSQL and JavaScript know: SQL computes days in it, and
 * clients display times in it. Only PostgreSQL knows `posix/…`; only JavaScript knows `+02:00`.
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
  if (!found) checks.add('timeZone', `"${name.slice(0, 50)}" is not a valid choice.`);
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
