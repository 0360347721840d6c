import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { checkBounds } from '../../errors/exact-number.ts';
import { personOf } from '../accounts/person.ts';
import { happenedAt } from '../lists/moments.ts';

/** A symptom as it is noted down: now, unless it says when. */
export interface NewSymptomLog {
  symptomName: string;
  severity: number;
  bodyLocation?: string | null;
  description?: string | null;
  loggedAt?: Date | null;
}

/** Notes a symptom of the caller down and returns the number of the entry. Throws field errors. */
export async function logSymptom(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  entry: NewSymptomLog,
): Promise<number> {
  const now = context.now();
  const checks = new Checks();
  const name = checks.text('symptom_name', entry.symptomName, { most: 100 });
  checkBounds(checks, 'severity', entry.severity, 1, 10);
  const location = checks.text('body_location', entry.bodyLocation ?? '', { most: 100, blank: true });
  const description = checks.text('description', entry.description ?? '', { most: 1000, blank: true });
  const at = happenedAt(checks, 'logged_at', entry.loggedAt, now);
  checks.done();
  const made = await context.transaction(db =>
    sql<{ id: number }>`
      insert into symptom_log (user_id, symptom_name, severity, body_location, description, logged_at, created_at)
      values (${personOf(context.actor).userId}, ${name}, ${entry.severity}, ${location}, ${description}, ${at},
        ${now.toISOString()})
      returning id`.execute(db),
  );
  return Number(made.rows[0]?.id);
}
