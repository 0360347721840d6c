import type { Context } from '../../context/context.ts';
import type { InputChecks } from '../input/input-checks.ts';

/** Checks a date of birth (`bornOn`), `YYYY-MM-DD`: in the past, after 1899, and not of a person below the minimum age. */
export function checkBirth(
  value: string | null | undefined,
  checks: InputChecks,
  { config, now }: Pick<Context, 'config' | 'now'>,
): string | null | undefined {
  if (!value) return value;
  const today = now().toISOString().slice(0, 10);
  if (value < '1900-01-01' || value >= today) {
    checks.add('bornOn', 'Ensure this date is in the past and not before 1900-01-01.');
  } else if (value > yearsBefore(today, config.MINIMUM_AGE)) {
    checks.add('bornOn', `You must be at least ${config.MINIMUM_AGE} years old to have an account.`);
  }
  return value;
}

/** `2026-11-28` and 16 is `2010-11-28`. Who is born on 29 February is a year older from 1 March on in other years. */
const yearsBefore = (day: string, years: number): string =>
  `${String(Number(day.slice(0, 4)) - years).padStart(4, '0')}${day.slice(4)}`;
