import { normalizeText } from '../text/normalize-text.ts';

/** What separates a word from the preceding one: nothing, a comma or similar, or the end of a sentence or line. */
export type Gap = 'none' | 'comma' | 'stop';

export interface Word {
  /** Normalized: lower case, without accents, apostrophes and plural -s; numbers as written. */
  text: string;
  gap: Gap;
  /** A colon or question mark precedes the word, which may therefore be an answer. */
  asked: boolean;
}

const tokenPattern = /\d+(?:[.,]\d+)?|[\p{L}\p{N}]+(?:['’‘ʼ`´][\p{L}]+)*|[^\s\p{L}\p{N}]|[\n\r]/gu;
/** Combining marks and format characters. */
const combiningMarks = /[\p{M}\p{Cf}]/gu;
const auxiliaries = new Map(
  ['do', 'does', 'did', 'is', 'are', 'was', 'were', 'have', 'has', 'had', 'would', 'could', 'am']
    .map((word): [string, string] => [word, `${word}nt`])
    .concat([
      ['am', 'amnot'],
      ['can', 'cant'],
      ['will', 'wont'],
    ]),
);
const symbolWords = new Map([
  ['/', '/'],
  ['&', 'and'],
  ['+', 'and'],
]);

/** Splits a text into normalized words in one pass. `spellings` replaces a word by one or more words. */
export function tokenize(text: string, spellings: ReadonlyMap<string, readonly string[]>): Word[] {
  const words: Word[] = [];
  let gap = 'stop' as Gap;
  let asked = false;
  let end = 0;
  const push = (word: string): void => {
    words.push({ text: word, gap, asked });
    gap = 'none';
    asked = false;
  };
  // Marks are removed before normalization too: reordering a hundred thousand marks on one letter takes seconds.
  const bare = normalizeText(text.replace(combiningMarks, ''), 'NFKD');
  const folded = bare.replace(combiningMarks, '').toLowerCase();
  for (const { 0: found, index } of folded.matchAll(tokenPattern)) {
    const spaced = index > end;
    end = index + found.length;
    const symbolWord = symbolWords.get(found);
    if (/^[\p{L}\p{N}]/u.test(found)) {
      const plain = found.replace(/['’‘ʼ`´]/gu, '');
      const before = words.at(-1);
      const merged = plain === 'not' && gap === 'none' && before ? auxiliaries.get(before.text) : undefined;
      if (before && merged) before.text = merged;
      else for (const part of spellings.get(plain) ?? [plain]) push(stem(part));
    } else if (symbolWord !== undefined) {
      if (gap === 'none') push(symbolWord);
    } else if (found === '-' || found === '–' || found === '—') {
      // A hyphen inside a word joins; between words it separates.
      const after = folded[end];
      if (spaced || after === undefined || /\s/.test(after)) gap = gap === 'stop' ? 'stop' : 'comma';
      if (spaced) asked = true;
    } else if (/[.!?;:\n\r•|]/.test(found)) {
      gap = 'stop';
      if (found === ':' || found === '?') asked = true;
    } else if (/[,()[\]{}"“”…=]/.test(found)) {
      if (gap === 'none') gap = 'comma';
      if (found === '=') asked = true;
    }
  }
  return words;
}

/** Removes plural endings: «rashes», «lips». Approximate, but applied equally to the knowledge base and the text. */
export function stem(word: string): string {
  // «Does» stays, because it is merged with a following «not».
  if (word.length <= 3 || word === 'does' || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(?:sh|ch|x|ss|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
