import { expressionError } from './text-pattern.ts';

/** Runs on a thread of the pool: what is wrong with each expression; undefined for a good one. */
export function run(patterns: readonly string[]): (string | undefined)[] {
  return patterns.map(expressionError);
}
