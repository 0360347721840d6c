import { LazyTable } from 'triage/text/lazy-table';
import { editDistance } from './edit-distance.ts';
import { englishStem } from './english-stem.ts';
import { vocabularyWords } from './vocabulary.ts';

/** A word that a misspelt one may stand for, with the forms that are compared. */
interface Candidate {
  word: string;
  stem: string;
  sound: string;
  /** The letters that it has, one bit for each. */
  letters: number;
}

/** How a word sounds, by the letters that people take for one another: «exema» and «eczema», «newmonia» and «pneumonia». */
export function soundOf(word: string): string {
  return word
    .replace(/^(?:pn|kn|gn)/, 'n')
    .replace(/^ps/, 's')
    .replace(/^wr/, 'r')
    .replace(/^new/, 'nu')
    .replace(/ph/g, 'f')
    .replace(/(?:rrh|rh)/g, 'r')
    .replace(/th/g, 't')
    .replace(/x/g, 'ks')
    .replace(/cz/g, 'ks')
    .replace(/(?:sc|c)(?=[eiy])/g, 's')
    .replace(/(?:ck|ch|q|c)/g, 'k')
    .replace(/z/g, 's')
    .replace(/(?:tion|sion|shun)/g, 'shn')
    .replace(/[ao]e/g, 'e')
    .replace(/(?:ee|ea|ie|ei|y)/g, 'i')
    .replace(/oa/g, 'o')
    .replace(/(?:ou|oo|ow)/g, 'u')
    .replace(/e$/, '')
    .replace(/(.)\1+/g, '$1');
}

const lettersOf = (word: string): number =>
  [...word].reduce((bits, letter) => bits | (1 << (letter.charCodeAt(0) - 97)), 0);

function bitsOf(number: number): number {
  let count = 0;
  for (let rest = number; rest !== 0; rest &= rest - 1) count++;
  return count;
}

const candidateOf = (word: string): Candidate => ({
  word,
  stem: englishStem(word),
  sound: soundOf(word),
  letters: lettersOf(word),
});

/** The words that a misspelt one may stand for. */
export const candidateTable = new LazyTable<readonly Candidate[]>(function* () {
  const candidates: Candidate[] = [];
  for (const word of vocabularyWords) {
    if (!/^[a-z]{4,}$/.test(word)) continue;
    candidates.push(candidateOf(word));
    yield;
  }
  return candidates;
});

const minLength = 4;
/** A longer one is no misspelling of a word; its stem and sound would be made of up to 2,000 letters. */
const maxLength = 64;

/** Letters that may differ. A short word is a letter away from many others. */
const toleranceOf = (word: string): number => (word.length >= 7 ? 2 : 1);

/** What differs if only the letters do and not the sound. */
const soundCost = 0.5;

/** Letters of a sound that tells words apart: «zzzzqqq» sounds like «ask». */
const minSound = 4;

function distanceOf(word: string, written: Candidate, other: Candidate, limit: number): number {
  const isAudible =
    written.sound[0] === other.sound[0] && written.sound.length >= minSound && other.sound.length >= minSound;
  const sound = isAudible ? editDistance(written.sound, other.sound, limit) : limit;
  const heard = sound === 0 ? soundCost : sound + 1;
  // Each letter that differs changes two bits at most.
  if (bitsOf(written.letters ^ other.letters) > 2 * limit) return heard;
  return Math.min(heard, editDistance(word, other.word, limit), editDistance(written.stem, other.stem, limit));
}

/** What a word that does not exist is a misspelling of, as stems of the nearest words. @param near words of the articles like it */
export function likeStems(word: string, near: readonly string[]): { stem: string; distance: number }[] {
  if (word.length < 3 || word.length > maxLength || !/^[a-z]+$/.test(word)) return [];
  const limit = toleranceOf(word);
  const written = candidateOf(word);
  const distances = new Map<string, number>();
  for (const other of [...candidateTable.get(), ...near.map(candidateOf)]) {
    if (other.word.length < minLength || !isLikely(word, written, other)) continue;
    const distance = distanceOf(word, written, other, limit);
    if (distance <= limit) distances.set(other.stem, Math.min(distance, distances.get(other.stem) ?? limit));
  }
  return [...distances]
    .map(([stem, distance]) => ({ stem, distance }))
    .sort((one, other) => one.distance - other.distance);
}

/** The first letter is seldom wrong, and a short word is rather too short than too long. */
function isLikely(word: string, written: Candidate, other: Candidate): boolean {
  const beginsAlike = word[0] === other.word[0] || written.sound[0] === other.sound[0];
  if (word.length < 5) return word[0] === other.word[0] && other.word.length >= word.length;
  return beginsAlike || word.length >= 7;
}

/** Whether a word is another one with a letter more, less, or changed. */
export const isSlipOf = (word: string, other: string): boolean =>
  Math.min(word.length, other.length) >= minLength && editDistance(word, other, 1) === 1;
