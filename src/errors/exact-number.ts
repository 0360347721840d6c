import type { Checks } from './checks.ts';

export interface ExactRule {
  /** Digits at most, those after the point included. */
  digits: number;
  places: number;
  least: number;
  most?: number;
}

/**
 * An exact number by its digits, with the published sentences in their order; zeros that change nothing do not count.
 * `value` is as the Decimal scalar gives it: digits, no exponent. It is returned as it came, absent and null too.
 */
export function checkExactNumber<T extends string | null | undefined>(
  checks: Checks,
  field: string,
  value: T,
  { digits, places, least, most }: ExactRule,
): T {
  if (value === null || value === undefined) return value;
  const [, whole = '', decimals = ''] = /^[+-]?0*(\d*)(?:\.(\d*))?$/.exec(value) ?? [];
  const kept = decimals.replace(/0+$/, '');
  const before = digits - places;
  if (whole.length + kept.length > digits)
    checks.add(field, `Ensure that there are no more than ${digits} digits in total.`);
  else if (kept.length > places) checks.add(field, `Ensure that there are no more than ${places} decimal places.`);
  else if (whole.length > before)
    checks.add(field, `Ensure that there are no more than ${before} digits before the decimal point.`);
  else checkBounds(checks, field, Number(value), least, most);
  return value;
}

/** `most` absent: the rule of digits is bound enough. */
export function checkBounds(checks: Checks, field: string, value: number, least: number, most?: number): void {
  if (value < least) checks.add(field, `Ensure this value is greater than or equal to ${least}.`);
  else if (most !== undefined && value > most) checks.add(field, `Ensure this value is less than or equal to ${most}.`);
}
