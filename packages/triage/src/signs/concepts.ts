import { join } from 'node:path';
import { LazyTable, type Pieces } from '../text/lazy-table.ts';
import type { Token } from './fold-text.ts';
import { languageListTexts, readLanguageLists } from './language-lists.ts';
import { languages } from './language-tables.ts';
import { Lexicon, PatternCompiler, PhrasePatterns } from './phrase-patterns.ts';

interface ConceptTable {
  lexicon: Lexicon;
  patterns: PhrasePatterns;
}

/**
 * Words and phrases of each language by concept. The concepts have the same names in every language: what the model learns about
 * «burden» in English holds for «carga» as well.
 */
const folder = join(import.meta.dirname, 'concepts');
const tables = new Map<string, LazyTable<ConceptTable | undefined>>();

/** Names of the concepts in a text of a language, sorted; none for a language without a table. */
export function conceptsIn(tokens: readonly Token[], language: string): string[] {
  const table = conceptTable(language).get();
  if (table === undefined) return [];
  const matches = table.patterns.find(tokens, table.lexicon.readAll(tokens));
  return [...new Set([...matches.map(({ tag }) => tag), ...contextIn(tokens, language)])].sort();
}

/** What the tables of a language say about how something is told: an idiom or a negated statement, a general question, the past. */
function contextIn(tokens: readonly Token[], language: string): string[] {
  const table = languages().find(({ code }) => code === language);
  if (table === undefined) return [];
  return table.patterns
    .find(tokens, table.lexicon.readAll(tokens))
    .map(({ tag }) => tag)
    .filter(tag => contextTags.has(tag));
}

const contextTags: ReadonlySet<string> = new Set(['harmless', 'cue asked', 'cue past', 'cue recent']);

/** The texts of all tables, for the fingerprint of the model. */
export const conceptTexts = (): string[] => languageListTexts(folder);

/** Compiled at the first message of the language; undefined for one without a table. */
export function conceptTable(language: string): LazyTable<ConceptTable | undefined> {
  const known = tables.get(language) ?? new LazyTable(() => compile(language));
  tables.set(language, known);
  return known;
}

function* compile(language: string): Pieces<ConceptTable | undefined> {
  const lists = readLanguageLists(folder, language);
  if (lists === undefined) return undefined;
  const lexicon = new Lexicon();
  // One pattern per concept with its words as alternatives: a pattern per word takes three times the memory.
  const groups = Object.entries(lists).map(([tag, list]) => ({
    tag,
    notations: [
      list
        .split(';')
        .map(one => one.trim())
        .join('|'),
    ],
  }));
  return { lexicon, patterns: yield* PhrasePatterns.compile(groups, new PatternCompiler({}, lexicon, 0)) };
}
