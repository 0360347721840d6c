import { buildMatcher, matched, type TextPattern, unmatched } from './match-group.ts';

/** Groups of texts and patterns, the cheapest first. */
export interface MatchTask {
  groups: readonly { patterns: readonly TextPattern[]; texts: readonly string[] }[];
  /** Shared: one byte for each text of each group. What is found out before the deadline is there when the thread is ended. */
  found: Uint8Array;
}

/** Runs on a thread of the pool. Returns the milliseconds it took. */
export function run({ groups, found }: MatchTask): number {
  const began = performance.now();
  let at = 0;
  for (const { patterns, texts } of groups) {
    const matches = buildMatcher(patterns);
    for (const text of texts) found[at++] = matches(text) ? matched : unmatched;
  }
  return performance.now() - began;
}
