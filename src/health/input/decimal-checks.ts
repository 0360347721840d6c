import type { ValueLimits } from '../../../schema/vocabulary/limits.ts';
import type { InputChecks } from './input-checks.ts';

export interface DecimalConstraint {
  /** Includes the decimal places. */
  maxDigits: number;
  maxDecimalPlaces: number;
  min: number;
  max?: number;
  /** Of a measurement, whose message names the range. */
  unit?: string;
}

/** The limits of a decimal number as published: the range for numbers, the digits for texts. */
export function decimalLimits({ maxDigits, maxDecimalPlaces, min, max }: DecimalConstraint): ValueLimits {
  const pattern = `^\\d{1,${maxDigits - maxDecimalPlaces}}(\\.\\d{0,${maxDecimalPlaces}})?$`;
  return { pattern, minimum: min, ...(max === undefined ? {} : { maximum: max }) };
}

/** The limits of a whole number as published. */
export const rangeLimits = ({ min, max }: Pick<DecimalConstraint, 'min' | 'max'>): ValueLimits => ({
  minimum: min,
  ...(max === undefined ? {} : { maximum: max }),
});

/**
 * Checks a decimal number by its digits, without leading and trailing zeros, and adds the published messages. `value` is as the
 * Decimal scalar returns it: digits without an exponent. It is returned unchanged, also null and undefined.
 */
export function checkDecimal<T extends string | null | undefined>(
  checks: InputChecks,
  field: string,
  value: T,
  { maxDigits, maxDecimalPlaces, ...range }: DecimalConstraint,
): T {
  if (value === null || value === undefined) return value;
  const [, whole = '', decimals = ''] = /^[+-]?0*([1-9]\d*)?(?:\.(\d*))?$/.exec(value) ?? [];
  const kept = decimals.replace(/(?<!0)0+$/, '');
  const before = maxDigits - maxDecimalPlaces;
  if (whole.length + kept.length > maxDigits)
    checks.add(field, `Ensure that there are no more than ${maxDigits} digits in total.`);
  else if (kept.length > maxDecimalPlaces)
    checks.add(field, `Ensure that there are no more than ${maxDecimalPlaces} decimal places.`);
  else if (whole.length > before)
    checks.add(field, `Ensure that there are no more than ${before} digits before the decimal point.`);
  else checkRange(checks, field, Number(value), range);
  return value;
}

/**
 * Without `max`, the number of digits is the only upper bound. With `unit` the message names the whole range: the value may be in
 * another unit.
 */
export function checkRange(
  checks: InputChecks,
  field: string,
  value: number,
  { min, max, unit }: Pick<DecimalConstraint, 'min' | 'max' | 'unit'>,
): void {
  const isTooHigh = max !== undefined && value > max;
  if (value >= min && !isTooHigh) return;
  if (unit !== undefined) checks.add(field, `Ensure this value is between ${min} and ${max} ${unit}.`);
  else if (isTooHigh) checks.add(field, `Ensure this value is less than or equal to ${max}.`);
  else checks.add(field, `Ensure this value is greater than or equal to ${min}.`);
}
