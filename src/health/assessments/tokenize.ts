/** What stands between a word and the one before it: nothing, a comma or the like, or the end of a sentence or line. */
export type Gap = 'none' | 'comma' | 'stop';

export interface Word {
  /** Folded: lower case, without accents, apostrophes and endings in -s; the number itself where it is one. */
  text: string;
  gap: Gap;
  /** What ends the gap, where it says something: a colon or a question mark asks, and the next word may be the answer. */
  asked: boolean;
}

const tokenPattern = /\d+(?:[.,]\d+)?|[\p{L}\p{N}]+(?:['’‘ʼ`´][\p{L}]+)*|[^\s\p{L}\p{N}]|[\n\r]/gu;
/** Accents, and characters that only shape the line. */
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
const symbolWords: Record<string, string> = { '/': '/', '&': 'and', '+': 'and' };

/**
 * The words of a text, folded so that two ways to write the same thing are equal. `spellings` gives a word another
 * spelling, of one or more words. One pass over the text, whatever is in it.
 */
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
  // Marks go before as well as after: putting a hundred thousand of them on one letter in order takes seconds.
  const bare = text.replace(combiningMarks, '').normalize('NFKD');
  const folded = bare.replace(combiningMarks, '').toLowerCase();
  for (const { 0: found, index } of folded.matchAll(tokenPattern)) {
    const spaced = index > end;
    end = index + found.length;
    if (/^[\p{L}\p{N}]/u.test(found)) {
      const plain = found.replace(/['’‘ʼ`´]/gu, '');
      const before = words.at(-1);
      const merged = plain === 'not' && gap === 'none' && before ? auxiliaries.get(before.text) : undefined;
      if (before && merged) before.text = merged;
      else for (const part of spellings.get(plain) ?? [plain]) push(stem(part));
    } else if (symbolWords[found] !== undefined) {
      if (gap === 'none') push(symbolWords[found]);
    } else if (found === '-' || found === '–' || found === '—') {
      // Within a word it joins, between words it parts.
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

/** «rashes» and «rash», «lips» and «lip». Linguistically rough, and the same for what is known and what is read. */
function stem(word: string): string {
  // «Does» stays, for it is asked for before «not».
  if (word.length <= 3 || word === 'does' || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(?:sh|ch|x|ss|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
