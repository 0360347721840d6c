import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { checkRange } from '../../errors/decimal-checks.ts';
import { InputChecks } from '../../errors/input-checks.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { checkEventTime } from '../lists/event-time.ts';

/** A new symptom log; `loggedAt` defaults to now. */
export interface NewSymptomLog {
  symptomName: string;
  severity: number;
  bodyLocation?: string | null;
  description?: string | null;
  loggedAt?: Date | null;
}

/**
 * Logs a symptom of the caller and returns its id.
 * @throws field errors
 */
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
