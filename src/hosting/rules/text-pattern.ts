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
export const maxPatternLength = 511;

/**
 * Instructions that an expression may compile to. The time for a text grows with both, by 10 to 70 ns for each instruction and
 * letter where the automaton grows too large to be kept: an expression of 20,000 took 36 s for a megabyte, and one of a thousand
 * can still take 30 s. Linear is not bounded: see `PatternMatcher`.
 */
const maxProgramSize = 1000;

/** Automata are kept with what they have learned, each bounded by the package itself. */
const compiledExpressions = new LRUCache<string, RE2JS>({ max: 200 });

function compileExpression(pattern: string): RE2JS {
  let expression = compiledExpressions.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern);
    compiledExpressions.set(pattern, expression);
  }
  return expression;
}

/** What is wrong with an expression; undefined for a good one. */
export function expressionError(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > maxProgramSize ? 'the expression is too large' : undefined;
  } catch (error) {
    // The package says what it does not take, and where.
    return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '');
  }
}

/** Steps to find out what an expression is; `stepsOfExpression` says what they are. Nothing can be said of the largest. */
export function estimateCompileSteps(pattern: string): number {
  return compiledExpressions.has(pattern) ? 0 : 10 * maxInstructions(pattern);
}

/**
 * Steps that an expression takes for a text of so many letters at most. A step is what takes 70 ns: one instruction for one letter,
 * without an automaton that has learned anything.
 */
export function estimateExpressionSteps(pattern: string, length: number): number {
  return (compiledExpressions.peek(pattern)?.programSize() ?? maxInstructions(pattern)) * (length + 1);
}

/** Instructions that an expression compiles to at most, without compiling it: repetitions multiply. */
function maxInstructions(pattern: string): number {
  // Classes of Unicode take up to 1 ms each, and so do ranges where capitals make no difference.
  if (/\\p/i.test(pattern) || (/\(\?[a-zA-Z]*i/.test(pattern) && pattern.includes('[')))
    return Number.POSITIVE_INFINITY;
  let count = 2 * pattern.length + 2;
  for (const [, least, upTo] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    count *= 2 * Math.max(1, Number(upTo || least));
  return count;
}

/** Whether a text keeps to a pattern. Expressions are RE2's and are looked for anywhere in the text. */
export function satisfiesPattern(text: string, { operator, pattern, negate }: PatternParameters): boolean {
  return testPattern(text, operator, pattern) !== (negate === true);
}

/** Whether a pattern is found in a text, negated or not. */
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

/** «must not start with "x"». */
export function describePattern({ operator, pattern, negate }: PatternParameters): string {
  return `must ${negate ? 'not ' : ''}${operatorPhrases[operator]} ${JSON.stringify(pattern)}`;
}
