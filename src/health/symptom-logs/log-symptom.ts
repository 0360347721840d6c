import type { Finding } from 'triage';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { checkRange, rangeLimits } from '../input/decimal-checks.ts';
import { InputChecks } from '../input/input-checks.ts';
import { filledText } from '../input/text-limits.ts';
import { checkEventTime } from '../lists/event-time.ts';
import { findDangerIn } from '../safety/safety-notice.ts';
import { symptomLogs } from './symptom-logs.queries.ts';

/** A new symptom log; `loggedAt` defaults to now. */
export interface NewSymptomLog {
  symptomName: string;
  severity: number;
  bodyLocation?: string | null;
  description?: string | null;
  loggedAt?: Date | null;
}

const severityRange = { min: 1, max: 10 };

export const symptomLogLimits = {
  symptomName: filledText(100),
  severity: rangeLimits(severityRange),
  bodyLocation: { maxLength: 100 },
  description: { maxLength: 1000 },
};

/**
 * Logs a symptom of the caller. Returns its id, and what the engine finds in its words.
 * @throws field errors
 */
export async function logSymptom(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  entry: NewSymptomLog,
): Promise<{ id: number; finding: Finding }> {
  const now = context.now();
  const checks = new InputChecks();
  const name = checks.text('symptomName', entry.symptomName, symptomLogLimits.symptomName);
  checkRange(checks, 'severity', entry.severity, severityRange);
  const location = checks.text('bodyLocation', entry.bodyLocation ?? '', symptomLogLimits.bodyLocation);
  const description = checks.text('description', entry.description ?? '', symptomLogLimits.description);
  const at = checkEventTime(checks, 'loggedAt', entry.loggedAt, now);
  checks.assertPassed();
  const finding = await findDangerIn([name, location, description]);
  const id = await context.transaction(db =>
    symptomLogs.insert(db, {
      user_id: requirePerson(context.actor).userId,
      symptom_name: name,
      severity: entry.severity,
      body_location: location,
      description,
      is_symptom: finding.level !== 'crisis',
      logged_at: at,
      created_at: now.toISOString(),
    }),
  );
  return { id, finding };
}
