/** Two texts are alike when this share of all their characters, taken together, has a partner in the other. */
const similarityThreshold = 0.7;
/** Of a word this long more than the word must be in a password: `john1985` is `john` and four characters. */
const minWordLength = 4;
/** What must be left of a password when the words are taken out of it. */
const minRemainderLength = 5;
/** Longest text that is compared: the longest e-mail address there is (RFC 5321), and more than the 150 of a name. */
const maxComparedLength = 254;

/**
 * The names in `texts` whose text `password` is too much like, in that order; whatever the case. Two rules:
 *
 * - the text, or one of its words, forwards or backwards, and the password have 70 % of their characters in common, in the
 *   same order. Django's validator counts them in any order, by which «correct horse battery staple» is 70 % of many an
 *   unrelated address; whatever its clients could choose, they still can.
 * - without the words of all texts fewer than five characters are left: `JohnSmith1`, `johnjohn1`.
 *
 * That a long password has a name somewhere in it is no fault: the rest is what makes it hard to guess.
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

/** The text and its words, folded. */
function splitWords(text: string): string[] {
  const whole = foldCase(text.slice(0, maxComparedLength));
  return [...new Set([whole, ...whole.split(/[^\p{L}\p{M}\p{N}]+/u)])].filter(word => word !== '');
}

const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();
const containsWord = (word: string, password: string): boolean =>
  word.length >= minWordLength && password.includes(word);

function consistsOfWords(password: string, words: string[]): boolean {
  if (words.length === 0) return false;
  // The longest first: of `johnson` and `john` the rest is not `son`.
  const left = words
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, word) => rest.replaceAll(word, ' '), password);
  return [...left.replaceAll(' ', '')].length < minRemainderLength;
}

/** 0 to 1: twice the length of the longest common subsequence, over the characters of both. */
function similarity(one: string[], other: string[]): number {
  const both = one.length + other.length;
  // Lengths alone can rule it out. What is left is at most 254 by 472 steps, under a millisecond.
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
