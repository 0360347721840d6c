import { JsonText } from './json-text.ts';

/** From here on `String` writes a number with an exponent, which no client takes for an integer. */
const firstWithExponent = 1e21;

/**
 * A value of the type Float as it is written in JSON, so that clients which tell integers from other numbers by their text read it as
 * the same type whatever its value is: `1.0`, not `1`. Values that are no whole numbers are returned as they are.
 */
export function pointedFloat(value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) >= firstWithExponent) return value;
  return new JsonText(`${value}.0`);
}
