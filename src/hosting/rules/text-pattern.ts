import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

export const patternOperators = ['starts_with', 'ends_with', 'contains', 'regex'] as const;

/** The parameters of rules that look at a text. */
export interface PatternParameters {
  operator: (typeof patternOperators)[number];
  pattern: string;
  /** Whether what matches is what breaks the rule. */
  negate?: boolean | null;
  /** What people call it. */
  name?: string | null;
}

/** Letters of a pattern at most. */
export const longestPattern = 511;

/**
 * Instructions that an expression may compile to. The time for a text grows with both, by 10 to 70 ns for each instruction and
 * letter where the automaton grows too large to be kept: an expression of 20,000 took 36 s for a megabyte, and one of a thousand
 * can still take 30 s. Linear is not bounded: see `PatternMatcher`.
 */
const maxProgramSize = 1000;

/** Automata are kept with what they have learned, each bounded by the package itself. */
const compiled = new LRUCache<string, RE2JS>({ max: 200 });

function expressionOf(pattern: string): RE2JS {
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern);
    compiled.set(pattern, expression);
  }
  return expression;
}

/** What is wrong with an expression; undefined for a good one. */
export function problemOfExpression(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > maxProgramSize ? 'the expression is too large' : undefined;
  } catch (error) {
    // The package says what it does not take, and where.
    return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '');
  }
}

/** Steps to find out what an expression is; `stepsOfExpression` says what they are. Nothing can be said of the largest. */
export function stepsToCompile(pattern: string): number {
  return compiled.has(pattern) ? 0 : 10 * mostInstructions(pattern);
}

/**
 * Steps that an expression takes for a text of so many letters at most. A step is what takes 70 ns: one instruction for one letter,
 * without an automaton that has learned anything.
 */
export function stepsOfExpression(pattern: string, letters: number): number {
  return (compiled.peek(pattern)?.programSize() ?? mostInstructions(pattern)) * (letters + 1);
}

/** Instructions that an expression compiles to at most, without compiling it: repetitions multiply. */
function mostInstructions(pattern: string): number {
  // Classes of Unicode take up to 1 ms each, and so do ranges where capitals make no difference.
  if (/\\p/i.test(pattern) || (/\(\?[a-zA-Z]*i/.test(pattern) && pattern.includes('[')))
    return Number.POSITIVE_INFINITY;
  let most = 2 * pattern.length + 2;
  for (const [, least, upTo] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    most *= 2 * Math.max(1, Number(upTo || least));
  return most;
}

/** Whether a text keeps to a pattern. Expressions are RE2's and are looked for anywhere in the text. */
export function keepsTo(text: string, { operator, pattern, negate }: PatternParameters): boolean {
  return isFound(text, operator, pattern) !== (negate === true);
}

/** Whether a pattern is found in a text, negated or not. */
export function isFound(text: string, operator: PatternParameters['operator'], pattern: string): boolean {
  switch (operator) {
    case 'starts_with':
      return text.startsWith(pattern);
    case 'ends_with':
      return text.endsWith(pattern);
    case 'contains':
      return text.includes(pattern);
    case 'regex':
      return expressionOf(pattern).test(text);
  }
}

const words = {
  starts_with: 'start with',
  ends_with: 'end with',
  contains: 'contain',
  regex: 'match the regular expression',
} as const;

/** «must not start with "x"». */
export function demandOf({ operator, pattern, negate }: PatternParameters): string {
  return `must ${negate ? 'not ' : ''}${words[operator]} ${JSON.stringify(pattern)}`;
}
