import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

export const patternOperators = ['starts_with', 'ends_with', 'contains', 'regex'] as const;

/** Parameters of rules with a text pattern. */
export interface PatternParameters {
  operator: (typeof patternOperators)[number];
  pattern: string;
  /** Whether the rule fails when the text matches, instead of when it does not. */
  negate?: boolean | null;
  /** Display name. */
  name?: string | null;
}

/** In characters. */
export const maxPatternLength = 511;

/**
 * Maximum compiled size of a regular expression in instructions. Matching takes 10 to 70 ns per instruction and
 * character once the automaton is too large to cache: 20,000 instructions took 36 s for one megabyte, and 1,000 can
 * still take 30 s. Linear time alone is not a sufficient bound; see `PatternMatcher`.
 */
const maxProgramSize = 1000;

/** Compiled expressions keep their automaton states, which the package bounds. */
const compiledExpressions = new LRUCache<string, RE2JS>({ max: 200 });

function compileExpression(pattern: string): RE2JS {
  let expression = compiledExpressions.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern);
    compiledExpressions.set(pattern, expression);
  }
  return expression;
}

/** Error message of a regular expression; undefined for a valid one. */
export function expressionError(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > maxProgramSize ? 'the expression is too large' : undefined;
  } catch (error) {
    // The package's message names the unsupported syntax.
    return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '');
  }
}

/** Estimated steps to compile an expression, see `estimateExpressionSteps`. Infinite when it cannot be estimated. */
export function estimateCompileSteps(pattern: string): number {
  return compiledExpressions.has(pattern) ? 0 : 10 * maxInstructions(pattern);
}

/**
 * Worst-case steps to match a text of `length` characters. One step takes 70 ns: one instruction for one character
 * without cached automaton states.
 */
export function estimateExpressionSteps(pattern: string, length: number): number {
  return (compiledExpressions.peek(pattern)?.programSize() ?? maxInstructions(pattern)) * (length + 1);
}

/** Upper bound of an expression's instructions without compiling it: repetitions multiply. */
function maxInstructions(pattern: string): number {
  // Unicode classes and case-insensitive ranges take up to 1 ms each.
  if (/\\p/i.test(pattern) || (/\(\?[a-zA-Z]*i/.test(pattern) && pattern.includes('[')))
    return Number.POSITIVE_INFINITY;
  let count = 2 * pattern.length + 2;
  for (const [, least, upTo] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    count *= 2 * Math.max(1, Number(upTo || least));
  return count;
}

/** Whether a text satisfies a pattern rule. Expressions have RE2 syntax and match anywhere in the text. */
export function satisfiesPattern(text: string, { operator, pattern, negate }: PatternParameters): boolean {
  return testPattern(text, operator, pattern) !== (negate === true);
}

/** Whether a text matches the pattern, ignoring `negate`. */
export function testPattern(text: string, operator: PatternParameters['operator'], pattern: string): boolean {
  switch (operator) {
    case 'starts_with':
      return text.startsWith(pattern);
    case 'ends_with':
      return text.endsWith(pattern);
    case 'contains':
      return text.includes(pattern);
    case 'regex':
      return compileExpression(pattern).test(text);
  }
}

const operatorPhrases = {
  starts_with: 'start with',
  ends_with: 'end with',
  contains: 'contain',
  regex: 'match the regular expression',
} as const;

/** Describes what a text must satisfy: `must not start with "x"`. */
export function describePattern({ operator, pattern, negate }: PatternParameters): string {
  return `must ${negate ? 'not ' : ''}${operatorPhrases[operator]} ${JSON.stringify(pattern)}`;
}
