import { expressionError } from './text-pattern.ts';

/** Worker thread entry point: returns the error message of each regular expression, or undefined for a valid one. */
export function run(patterns: readonly string[]): (string | undefined)[] {
  return patterns.map(expressionError);
}
