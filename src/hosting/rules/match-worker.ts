import { buildMatcher, matched, type TextPattern, unmatched } from './match-group.ts';

/** Pattern groups in order of cost, cheapest first. */
export interface MatchTask {
  groups: readonly { patterns: readonly TextPattern[]; texts: readonly string[] }[];
  /** Shared memory, one byte per text. Results found before the deadline survive when the thread is terminated. */
  found: Uint8Array;
}

/** Worker thread entry point. Returns the elapsed milliseconds. */
export function run({ groups, found }: MatchTask): number {
  const began = performance.now();
  let at = 0;
  for (const { patterns, texts } of groups) {
    const matches = buildMatcher(patterns);
    for (const text of texts) found[at++] = matches(text) ? matched : unmatched;
  }
  return performance.now() - began;
}
