import type { InputChecks } from './input-checks.ts';

export interface DecimalConstraint {
  /** Includes the decimal places. */
  maxDigits: number;
  maxDecimalPlaces: number;
  min: number;
  max?: number;
}

/**
 * Checks a decimal number by its digits, without leading and trailing zeros, and adds the published messages. `value` is as the
 * Decimal scalar returns it: digits without an exponent. It is returned unchanged, also null and undefined.
 */
export function checkDecimal<T extends string | null | undefined>(
  checks: InputChecks,
  field: string,
  value: T,
  { maxDigits, maxDecimalPlaces, min, max }: DecimalConstraint,
): T {
  if (value === null || value === undefined) return value;
  const [, whole = '', decimals = ''] = /^[+-]?0*(\d*)(?:\.(\d*))?$/.exec(value) ?? [];
  const kept = decimals.replace(/0+$/, '');
  const before = maxDigits - maxDecimalPlaces;
  if (whole.length + kept.length > maxDigits)
    checks.add(field, `Ensure that there are no more than ${maxDigits} digits in total.`);
  else if (kept.length > maxDecimalPlaces)
    checks.add(field, `Ensure that there are no more than ${maxDecimalPlaces} decimal places.`);
  else if (whole.length > before)
    checks.add(field, `Ensure that there are no more than ${before} digits before the decimal point.`);
  else checkRange(checks, field, Number(value), min, max);
  return value;
}

/** Without `max`, the number of digits is the only upper bound. */
export function checkRange(checks: InputChecks, field: string, value: number, min: number, max?: number): void {
  if (value < min) checks.add(field, `Ensure this value is greater than or equal to ${min}.`);
  else if (max !== undefined && value > max) checks.add(field, `Ensure this value is less than or equal to ${max}.`);
}
