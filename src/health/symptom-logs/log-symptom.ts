import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { checkRange } from '../input/decimal-checks.ts';
import { InputChecks } from '../input/input-checks.ts';
import { checkEventTime } from '../lists/event-time.ts';

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
  const checks = new InputChecks();
  const name = checks.text('symptom_name', entry.symptomName, { maxLength: 100 });
  checkRange(checks, 'severity', entry.severity, 1, 10);
  const location = checks.text('body_location', entry.bodyLocation ?? '', { maxLength: 100, allowBlank: true });
  const description = checks.text('description', entry.description ?? '', { maxLength: 1000, allowBlank: true });
  const at = checkEventTime(checks, 'logged_at', entry.loggedAt, now);
  checks.assertPassed();
  const made = await context.transaction(db =>
    sql<{ id: number }>`
      insert into symptom_log (user_id, symptom_name, severity, body_location, description, logged_at, created_at)
      values (${requirePerson(context.actor).userId}, ${name}, ${entry.severity}, ${location}, ${description}, ${at},
        ${now.toISOString()})
      returning id`.execute(db),
  );
  return Number(made.rows[0]?.id);
}
