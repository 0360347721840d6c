import type { Whose } from '../finding.ts';
import { conceptTable } from './concepts.ts';
import type { Token } from './fold-text.ts';
import { readingIn } from './reading.ts';

/** Whose the first of some concepts in a text is; without one of them, of whom the text tells last. */
export function whoseIs(tokens: readonly Token[], language: string, concepts: ReadonlySet<string>): Whose {
  const reading = readingIn(tokens, language);
  const table = conceptTable(language).get();
  const first = table?.patterns.find(tokens, table.lexicon.readAll(tokens)).find(({ tag }) => concepts.has(tag));
  const { start, end } = first ?? { start: tokens.length - 1, end: tokens.length };
  return reading?.whoseAt(start, end) ?? 'writer';
}
