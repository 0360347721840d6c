import { conceptTable } from './concepts.ts';
import type { Token } from './fold-text.ts';
import { eventConcepts, signsNamed } from './named-signs.ts';
import type { Match } from './phrase-patterns.ts';
import { readingIn } from './reading.ts';

/**
 * The concepts of a text without those within a longer one («blood» in «blood thinners»), without harmless words, without those of a work or of years ago, without a
 * farewell beside the reason of an absence, and without words of a crisis about a task, without what never happened, and without those of `deniable` that are negated: «not on blood thinners», but «not breathing» is a danger.
 */
export function statedConcepts(tokens: readonly Token[], language: string, deniable: ReadonlySet<string>): string[] {
  const table = conceptTable(language).get();
  if (table === undefined) return [];
  const matches = table.patterns.find(tokens, table.lexicon.readAll(tokens));
  const longest = longestEnds(matches);
  const reading = readingIn(tokens, language);
  const stated = matches.filter(
    match =>
      longest[match.start] === match.end &&
      reading?.isHarmless(match.start, match.end) !== true &&
      !reading?.isTold(match) &&
      !reading?.isPast(match) &&
      !(threats.has(match.tag) && reading?.isPetty) &&
      !(match.tag === 'goodbye' && reading?.tellsOfAbsence) &&
      !(signsNamed('crisis', [match.tag]).length > 0 && reading?.isOfTask(match)) &&
      !(eventConcepts.has(match.tag) && reading?.isNever(match)) &&
      !(deniable.has(match.tag) && reading?.isNegated(match)),
  );
  return [...new Set(stated.map(({ tag }) => tag))].sort();
}

/** Concepts of a threat, which a petty reason makes a figure of speech. */
const threats: ReadonlySet<string> = new Set(['murder', 'threat']);

/** By the start of a match: the end of the longest that covers it. */
function longestEnds(matches: readonly Match[]): number[] {
  const ends: number[] = [];
  for (const { start, end } of matches) for (let at = start; at < end; at++) ends[at] = Math.max(ends[at] ?? 0, end);
  return ends;
}
