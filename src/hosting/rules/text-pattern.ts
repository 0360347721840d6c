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
 * Instructions that an expression may compile to. The time for a text grows with both: an expression of 20,000 took
 * 36 seconds for a megabyte where the automaton grew too large to be kept, one of a thousand takes under two.
 */
const largestProgram = 1000;

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
    return size > largestProgram ? 'the expression is too large' : undefined;
  } catch (error) {
    // The package says what it does not take, and where.
    return (error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, '');
  }
}

/** Whether a text keeps to a pattern. Expressions are RE2's and are looked for anywhere in the text. */
export function keepsTo(text: string, { operator, pattern, negate }: PatternParameters): boolean {
  return matches(text, operator, pattern) !== (negate === true);
}

function matches(text: string, operator: PatternParameters['operator'], pattern: string): boolean {
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
