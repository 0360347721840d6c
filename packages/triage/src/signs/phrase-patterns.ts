import type { Pieces } from '../text/lazy-table.ts';
import { foldText, type Token } from './fold-text.ts';
import { basesOf } from './inflection.ts';

/** Shortest word whose misspelling is recognised. */
const minFuzzyLength = 5;

export interface Match {
  start: number;
  /** After the last word. */
  end: number;
  tag: string;
  /** The notation of the pattern. */
  pattern: string;
}

/** A number with up to four letters of a unit: «500mg». */
const leadingNumber = /^(\d{1,6}(?:\.\d{1,2})?)\p{L}{0,4}$/u;

/** Sequences of ids of words, by their first. */
type Alternatives = ReadonlyMap<number, readonly (readonly number[])[]>;

interface Element {
  alternatives: Alternatives;
  /** Words that may be skipped before it. */
  gap: number;
}

interface Pattern {
  tag: string;
  notation: string;
  elements: readonly Element[];
  unit: 'sentence' | 'clause';
}

/** Patterns of one meaning. */
export interface PatternGroup {
  tag: string;
  notations: readonly string[];
  /** What a match stays within; the sentence unless given. */
  unit?: 'sentence' | 'clause';
}

/**
 * The words of one language. Each notation gets a number: `word`, `stem*` for all words with that beginning, `word~` for a
 * word that is also recognised with one letter wrong, missing, doubled or swapped, `#20-150` for a number, with or without a unit behind it.
 */
export class Lexicon {
  readonly #exact = new Map<string, number[]>();
  readonly #stems = new Map<string, number[]>();
  readonly #fuzzy: { text: string; id: number }[] = [];
  readonly #numbers: { least: number; most: number; id: number }[] = [];
  readonly #ids = new Map<string, number>();
  /** Numbers of whole words by what is left of them without an ending. */
  readonly #bases = new Map<string, number[]>();
  readonly #code: string | undefined;
  #longestStem = 0;

  /** `code`: language whose endings are known; without it only the listed forms are. */
  constructor(code?: string) {
    this.#code = code;
  }

  /** The number of a notation. */
  id(notation: string): number {
    const known = this.#ids.get(notation);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(notation, id);
    if (notation.startsWith('#')) {
      const [least, most] = notation.slice(1).split('-').map(Number);
      this.#numbers.push({ least: least ?? 0, most: most ?? Number.POSITIVE_INFINITY, id });
      return id;
    }
    const text = notation.replace(/(?<![*~])[*~]+$/, '');
    const into = notation.includes('*') ? this.#stems : this.#exact;
    into.set(text, [...(into.get(text) ?? []), id]);
    if (into === this.#stems) this.#longestStem = Math.max(this.#longestStem, text.length);
    if (notation.includes('~')) this.#fuzzy.push({ text, id });
    if (this.#code !== undefined && into === this.#exact)
      for (const base of basesOf(text, this.#code)) this.#bases.set(base, [...(this.#bases.get(base) ?? []), id]);
    return id;
  }

  /** The numbers of the notations that each word fits; equal words share one list, so that what follows from it is found once. */
  readAll(tokens: readonly Token[]): readonly number[][] {
    const known = new Map<string, number[]>();
    return tokens.map(token => {
      const ids = known.get(token.text) ?? this.read(token);
      known.set(token.text, ids);
      return ids;
    });
  }

  /** The numbers of the notations that a word fits. */
  read({ text }: Token): number[] {
    const forms = formsOf(text);
    if (forms.length === 1) return this.#readForm(text);
    return [...new Set(forms.flatMap(form => this.#readForm(form)))];
  }

  #readForm(text: string): number[] {
    const ids = [...(this.#exact.get(text) ?? [])];
    const number = Number(leadingNumber.exec(text)?.[1]);
    for (const { least, most, id } of this.#numbers) if (number >= least && number <= most) ids.push(id);
    for (let length = 1; length <= Math.min(text.length, this.#longestStem); length++)
      for (const id of this.#stems.get(text.slice(0, length)) ?? []) ids.push(id);
    // A word that no table lists has the meaning of a listed one of its family.
    if (ids.length === 0 && this.#code !== undefined)
      for (const base of basesOf(text, this.#code)) {
        const family = this.#bases.get(base);
        if (family) return [...family];
      }
    if (ids.length === 0 && text.length >= minFuzzyLength)
      for (const word of this.#fuzzy) if (isMisspelling(text, word.text)) ids.push(word.id);
    return ids;
  }
}

/** A word; if it is Arabic, with and without what is written together with it: «and», «the», «with», future and habit of a verb. */
export function formsOf(word: string): string[] {
  if (!/^\p{Script=Arabic}/u.test(word)) return [word];
  const forms = [word];
  const bare = word.replace(/^[وف](?=.{3})/, '');
  if (bare !== word) forms.push(bare);
  const noun = bare.replace(/^(?:بال|كال|لل|ال)(?=.{2})/, '');
  if (noun !== bare) forms.push(noun);
  // «In my chest» without an article.
  const place = bare.replace(/^[بل](?=[^ال].{3})/, '');
  if (place !== bare) forms.push(place);
  const verb = bare.replace(/^[بسحه](?=[ايتن].{2})/, '');
  if (verb !== bare) forms.push(verb);
  return forms;
}

/** One insertion, deletion, replacement or swap apart, with the same first letter. */
function isMisspelling(text: string, word: string): boolean {
  if (text[0] !== word[0] || Math.abs(text.length - word.length) > 1) return false;
  let from = 0;
  while (from < text.length && text[from] === word[from]) from++;
  let [a, b] = [text.length, word.length];
  while (a > from && b > from && text[a - 1] === word[b - 1]) {
    a--;
    b--;
  }
  if (a - from <= 1 && b - from <= 1) return true;
  return a - from === 2 && b - from === 2 && text[from] === word[from + 1] && text[from + 1] === word[from];
}

/**
 * Patterns of words: `{class}` stands for any phrase of a class, `a|b_c` for alternatives (`_` joins the words of one),
 * `..` for up to `maxGap` words in between. Matching takes time linear in the text: each pattern is tried only at words that
 * it can begin with, and looks ahead by a bounded number of words.
 */
export class PhrasePatterns {
  /** Patterns by the word that they begin with. */
  readonly #byFirst = new Map<number, Pattern[]>();

  /** One notation is a piece: a language has up to a thousand, which take 20 to 40 ms. */
  static *compile(groups: readonly PatternGroup[], compiler: PatternCompiler): Pieces<PhrasePatterns> {
    const compiled = new PhrasePatterns();
    for (const { tag, notations, unit = 'sentence' } of groups)
      for (const notation of notations) {
        compiled.#add({ tag, notation, elements: compiler.compile(notation), unit });
        yield;
      }
    return compiled;
  }

  #add(pattern: Pattern): void {
    for (const first of pattern.elements[0]?.alternatives.keys() ?? []) {
      const there = this.#byFirst.get(first);
      if (there) there.push(pattern);
      else this.#byFirst.set(first, [pattern]);
    }
  }

  /** `read`: the numbers of the words of each token, as `Lexicon.readAll` returns them. */
  find(tokens: readonly Token[], read: readonly (readonly number[])[]): Match[] {
    const matches: Match[] = [];
    const patternsOf = this.#finder(read);
    for (let start = 0; start < tokens.length; start++) {
      for (const pattern of patternsOf(read[start] ?? [])) {
        const end = matchAt(pattern, tokens, read, start);
        if (end !== undefined) matches.push({ start, end, tag: pattern.tag, pattern: pattern.notation });
      }
    }
    return matches;
  }

  /**
   * The patterns that begin with one of some words and of which the text has a word for each element. Several hundred begin with «I»: in a
   * text of a thousand of them each was tried at every word.
   */
  #finder(read: readonly (readonly number[])[]): (ids: readonly number[]) => readonly Pattern[] {
    const present = new Set([...new Set(read)].flat());
    const met = new Map<Alternatives, boolean>();
    const isMet = ({ alternatives }: Element): boolean => {
      const known = met.get(alternatives);
      if (known !== undefined) return known;
      const is =
        present.size < alternatives.size
          ? [...present].some(id => alternatives.has(id))
          : [...alternatives.keys()].some(id => present.has(id));
      met.set(alternatives, is);
      return is;
    };
    const found = new Map<readonly number[], readonly Pattern[]>();
    return ids => {
      const known = found.get(ids);
      if (known) return known;
      const patterns = [...new Set(ids.flatMap(id => this.#byFirst.get(id) ?? []))].filter(({ elements }) =>
        elements.every(isMet),
      );
      found.set(ids, patterns);
      return patterns;
    };
  }
}

/** The end of the shortest match. */
function matchAt(
  { elements, unit }: Pattern,
  tokens: readonly Token[],
  read: readonly (readonly number[])[],
  start: number,
): number | undefined {
  const within = tokens[start]?.[unit];
  let ends = [start];
  for (const { alternatives, gap } of elements) {
    const next = new Set<number>();
    for (const end of ends)
      for (let at = end; at <= end + gap && tokens[at]?.[unit] === within; at++)
        for (const id of read[at] ?? [])
          for (const words of alternatives.get(id) ?? [])
            if (words.every((word, nth) => nth === 0 || isAt(word, at + nth))) next.add(at + words.length);
    if (next.size === 0) return undefined;
    ends = [...next];
  }
  return ends.reduce((first, end) => Math.min(first, end));

  function isAt(word: number, at: number): boolean {
    return tokens[at]?.[unit] === within && read[at]?.includes(word) === true;
  }
}

/** Compiles the notations of one language. */
export class PatternCompiler {
  readonly #classes: Readonly<Record<string, readonly string[]>>;
  readonly #lexicon: Lexicon;
  readonly #maxGap: number;
  /** Most classes occur in many patterns. */
  readonly #known = new Map<string, Alternatives>();

  constructor(classes: Readonly<Record<string, readonly string[]>>, lexicon: Lexicon, maxGap: number) {
    this.#classes = classes;
    this.#lexicon = lexicon;
    this.#maxGap = maxGap;
  }

  compile(notation: string): Element[] {
    const parts = notation.split(' ').filter(Boolean);
    if (parts[0] === '..' || parts.at(-1) === '..')
      throw new Error(`«${notation.trim()}» begins or ends with a gap, which means nothing.`);
    const elements: Element[] = [];
    let gap = 0;
    for (const part of parts) {
      if (part === '..') {
        gap = this.#maxGap;
        continue;
      }
      elements.push({ alternatives: this.#alternatives(part, notation), gap });
      gap = 0;
    }
    return elements;
  }

  #alternatives(part: string, notation: string): Alternatives {
    const known = this.#known.get(part);
    if (known) return known;
    const groups = new Map<number, number[][]>();
    for (const phrase of part.split('|').flatMap(one => this.#expand(one, notation)))
      for (const words of spellings(phrase, this.#lexicon)) {
        const [first] = words;
        if (first === undefined) continue;
        const there = groups.get(first);
        if (there) there.push(words);
        else groups.set(first, [words]);
      }
    this.#known.set(part, groups);
    return groups;
  }

  #expand(phrase: string, notation: string): string[] {
    const [whole, name] = /\{([\w-]+)\}/.exec(phrase) ?? [];
    if (whole === undefined || name === undefined) return [phrase.replaceAll('_', ' ')];
    const members = this.#classes[name];
    if (members === undefined) throw new Error(`There is no class ${name}, which "${notation}" names.`);
    return members.flatMap(member => this.#expand(phrase.replace(whole, member), notation));
  }
}

/** A phrase as numbers of words, with and without apostrophes, and with «ae» for «ä». */
function spellings(phrase: string, lexicon: Lexicon): number[][] {
  const variants = new Set([phrase, phrase.replace(/['’]/g, '')]);
  if (/[äöü]/.test(phrase))
    variants.add(phrase.replace(/[äöü]/g, letter => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? letter));
  return [...variants].map(variant =>
    variant.split(/\s+/).flatMap(word => {
      if (word.startsWith('#')) return [lexicon.id(word)];
      const mark = /(?<![*~])[*~]+$/.exec(word)?.[0] ?? '';
      const tokens = foldText(word);
      return tokens.map(({ text }, at) => lexicon.id(at === tokens.length - 1 ? `${text}${mark}` : text));
    }),
  );
}
