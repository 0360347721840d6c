/** Two texts are similar when at least this share of the characters of both is in their longest common subsequence. */
const similarityThreshold = 0.7;
/** A shorter word is not searched for in the password. `john1985` is `john` and four more characters. */
const minWordLength = 4;
/** Characters that must remain of a password when the words are removed from it. */
const minRemainderLength = 5;
/** Texts are cut to the maximum length of an e-mail address (RFC 5321); names have at most 150 characters. */
const maxComparedLength = 254;

/**
 * The keys of `texts` whose value is too similar to `password`, in order, ignoring case. Two rules:
 *
 * - The text or one of its words, forwards or backwards, shares 70 % of the characters with the password in the same order.
 *   Django's validator ignores the order, so «correct horse battery staple» resembles many unrelated addresses; every
 *   password that it accepts is accepted here as well.
 * - Fewer than five characters remain when the words of all texts are removed: `JohnSmith1`, `johnjohn1`.
 *
 * A long password may contain a name: the rest makes it hard to guess.
 */
export function findSimilarTexts(password: string, texts: Record<string, string | null | undefined>): string[] {
  const folded = foldCase(password);
  const found: [name: string, words: string[]][] = Object.entries(texts).map(([name, text]) => [
    name,
    splitWords(text ?? ''),
  ]);
  const contained = found.flatMap(([, words]) => words).filter(word => containsWord(word, folded));
  const bare = consistsOfWords(folded, contained);
  const characters = [...folded];
  const isSimilar = (word: string): boolean =>
    (bare && containsWord(word, folded)) ||
    similarity([...word], characters) >= similarityThreshold ||
    similarity([...word].reverse(), characters) >= similarityThreshold;
  return found.filter(([, words]) => words.some(isSimilar)).map(([name]) => name);
}

/** The text and its words, case-folded. */
function splitWords(text: string): string[] {
  const whole = foldCase(text.slice(0, maxComparedLength));
  return [...new Set([whole, ...whole.split(/[^\p{L}\p{M}\p{N}]+/u)])].filter(word => word !== '');
}

const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();
const containsWord = (word: string, password: string): boolean =>
  word.length >= minWordLength && password.includes(word);

function consistsOfWords(password: string, words: string[]): boolean {
  if (words.length === 0) return false;
  // Longest first: removing `john` before `johnson` would leave `son`.
  const left = words
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, word) => rest.replaceAll(word, ' '), password);
  return [...left.replaceAll(' ', '')].length < minRemainderLength;
}

/** 0 to 1: twice the length of the longest common subsequence, over the characters of both. */
function similarity(one: string[], other: string[]): number {
  const both = one.length + other.length;
  // The lengths alone can rule it out. Otherwise at most 254 × 472 steps follow, which take less than a millisecond.
  if ((2 * Math.min(one.length, other.length)) / both < similarityThreshold) return 0;
  let above = new Uint16Array(other.length + 1);
  for (const character of one) {
    const row = new Uint16Array(other.length + 1);
    for (let at = 0; at < other.length; at++) {
      row[at + 1] = other[at] === character ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0);
    }
    above = row;
  }
  return (2 * (above[other.length] ?? 0)) / both;
}
