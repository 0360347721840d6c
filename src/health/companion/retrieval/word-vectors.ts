import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LazyTable } from 'triage/text/lazy-table';

/** Numbers of a vector. */
export const dimensions = 100;

/** The words, the most frequent first, one on each line; and a vector for each in their order, of signed bytes. */
export const vectorFiles = {
  words: join(import.meta.dirname, 'word-vectors.txt'),
  vectors: join(import.meta.dirname, 'word-vectors.bin'),
} as const;

interface Vectors {
  places: ReadonlyMap<string, number>;
  bytes: Int8Array;
}

/** Words of one piece of work. */
const placedTogether = 2_000;

/** Read at the first question. */
export const vectorTable = new LazyTable<Vectors>(function* () {
  const words = readFileSync(vectorFiles.words, 'utf8').trimEnd().split('\n');
  const bytes = readFileSync(vectorFiles.vectors);
  const places = new Map<string, number>();
  for (const [place, word] of words.entries()) {
    places.set(word, place);
    if (place % placedTogether === 0) yield;
  }
  return { places, bytes: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
});

/** The share of all words that the most frequent one is; that of others falls with their place (Zipf). */
const firstShare = 0.1;

/** The share at which a word counts half: more frequent ones say less. */
const halfShare = 1e-4;

/**
 * The mean direction of the words of a text, of length 1; zero if none is known. Words that stand in the same places of English texts
 * have similar vectors, so that a word which no training text has still says something.
 */
export function meaningOf(words: readonly string[]): Float64Array {
  const { places, bytes } = vectorTable.get();
  const sum = new Float64Array(dimensions);
  for (const word of words) {
    const place = places.get(word);
    if (place === undefined) continue;
    const weight = halfShare / (halfShare + firstShare / (place + 1));
    let squares = 0;
    for (let at = place * dimensions; at < (place + 1) * dimensions; at++) squares += (bytes[at] ?? 0) ** 2;
    const share = weight / (Math.sqrt(squares) || 1);
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + share * (bytes[place * dimensions + at] ?? 0);
  }
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0)) || 1;
  return sum.map(value => value / length);
}
