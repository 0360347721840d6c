import { join } from 'node:path';
import { LazyTable, type Pieces } from '../text/lazy-table.ts';
import { foldLetters, splitHan, type Token } from './fold-text.ts';
import { languageListTexts, readLanguageLists } from './language-lists.ts';
import { formsOf } from './phrase-patterns.ts';

/**
 * The words of one language. Meanings are one text with a space between two: as arrays, and with objects for phrases, eleven languages took 39 MB.
 */
interface Glossary {
  words: Map<string, string>;
  stems: Map<string, string>;
  longestStem: number;
  /** By the first word: the words after it and, behind an equals sign, the meanings. The longest first. */
  phrases: Map<string, string[]>;
}

/** The English words that the words from a place on mean, and how many words they are. */
interface Reading {
  meanings: string;
  length: number;
}

/**
 * Words of each language by the English word that they mean: `stem*` for all words with that beginning, `_` between the words of a phrase.
 * What the model learns of an English word holds for the words of other languages as well.
 */
const folder = join(import.meta.dirname, 'glossary');
const glossaries = new Map<string, LazyTable<Glossary | undefined>>();

/** English words that the words of a text mean, each once; none for a language without a glossary. */
export function meaningsIn(tokens: readonly Token[], language: string): string[] {
  const glossary = glossaryTable(language).get();
  if (glossary === undefined) return [];
  const found = new Set<string>();
  for (let at = 0; at < tokens.length; ) {
    const { meanings, length } = readAt(glossary, tokens, at);
    for (const meaning of meanings.split(' ')) if (meaning !== '') found.add(meaning);
    at += length;
  }
  return [...found];
}

/** The texts of all glossaries, for the fingerprint of the model. */
export const glossaryTexts = (): string[] => languageListTexts(folder);

function readAt(glossary: Glossary, tokens: readonly Token[], at: number): Reading {
  const { text = '' } = tokens[at] ?? {};
  const forms = formsOf(text);
  const next = tokens[at + 1]?.text[0];
  for (const form of forms)
    for (const phrase of glossary.phrases.get(form) ?? []) {
      // Most end here: in Chinese a character begins up to some hundred phrases.
      if (phrase[0] !== next) continue;
      const [said = '', meanings = ''] = phrase.split('=');
      const rest = said.split(' ');
      if (rest.every((word, next) => fits(tokens[at + 1 + next]?.text ?? '', word)))
        return { meanings, length: 1 + rest.length };
    }
  const meanings = forms.map(form => `${glossary.words.get(form) ?? ''} ${ofStem(glossary, form)}`).join(' ');
  return { meanings, length: 1 };
}

/** The meanings of the longest stem that a word begins with. */
function ofStem({ stems, longestStem }: Glossary, word: string): string {
  for (let length = Math.min(word.length, longestStem); length > 0; length--) {
    const meanings = stems.get(word.slice(0, length));
    if (meanings !== undefined) return meanings;
  }
  return '';
}

const fits = (text: string, word: string): boolean =>
  word.endsWith('*') ? text.startsWith(word.slice(0, -1)) : text === word;

/** Read at the first message of the language; undefined for one without a glossary. */
export function glossaryTable(language: string): LazyTable<Glossary | undefined> {
  const known = glossaries.get(language) ?? new LazyTable(() => compile(language));
  glossaries.set(language, known);
  return known;
}

/** Lists that are folded together: as a single text it takes a third of the time of one by one, and all take up to 30 ms. */
const foldedTogether = 100;

function* compile(language: string): Pieces<Glossary | undefined> {
  const lists = readLanguageLists(folder, language);
  if (lists === undefined) return undefined;
  const glossary: Glossary = { words: new Map(), stems: new Map(), longestStem: 0, phrases: new Map() };
  const entries = Object.entries(lists);
  for (let from = 0; from < entries.length; from += foldedTogether) {
    const some = entries.slice(from, from + foldedTogether);
    const folded = foldLetters(some.map(([, list]) => list).join('\n')).split('\n');
    for (const [at, [meaning]] of some.entries())
      for (const notation of folded[at]?.split(';') ?? []) add(glossary, notation.trim(), meaning);
    yield;
  }
  for (const phrases of glossary.phrases.values()) {
    phrases.sort((one, other) => wordsIn(other) - wordsIn(one));
    yield;
  }
  return glossary;
}

const wordsIn = (phrase: string): number => phrase.split(' ').length;

/** Words as `foldText` makes them, of letters that are folded already; the last one may be a stem. */
const words = /[\p{L}\p{M}\p{N}]+\*?/gu;

function add(glossary: Glossary, notation: string, meaning: string): void {
  const [first, ...rest] = (notation.match(words) ?? []).flatMap(splitHan);
  if (first === undefined) return;
  if (rest.length > 0) {
    const said = rest.join(' ');
    const there = glossary.phrases.get(first) ?? [];
    const same = there.findIndex(phrase => phrase.startsWith(`${said}=`));
    if (same < 0) glossary.phrases.set(first, [...there, `${said}=${meaning}`]);
    else there[same] = `${there[same]} ${meaning}`;
    return;
  }
  const isStem = first.endsWith('*');
  const text = isStem ? first.slice(0, -1) : first;
  const into = isStem ? glossary.stems : glossary.words;
  const known = into.get(text);
  into.set(text, known === undefined ? meaning : `${known} ${meaning}`);
  if (isStem) glossary.longestStem = Math.max(glossary.longestStem, text.length);
}
