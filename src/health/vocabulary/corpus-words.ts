import { sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import { editDistance } from './edit-distance.ts';
import { englishStem } from './english-stem.ts';
import { isKnownWord, vocabularyWords } from './vocabulary.ts';

/** What the articles tell of words. */
export interface CorpusWords {
  /** The weight of a word of one article. */
  rarest: number;
  /** Misspelt stems and what they are a misspelling of. */
  corrections: ReadonlyMap<string, string>;
  /** Beginnings of words, and stems that go on from them, the most frequent ones. */
  continued: ReadonlyMap<string, readonly string[]>;
  /** Inverse document frequency of what is said in one of several ways; undefined for what no article has. */
  weightOf(ways: readonly (readonly string[])[]): number | undefined;
}

interface WordRow {
  lexeme: string;
  ndoc: number;
  articles: number;
  /** The unknown word that this one is like, or continues; null for a word that was asked for. */
  like: string | null;
}

/** Letters of a beginning: «bak» is rather «back» than «baking». */
const minBeginning = 4;

/** Words that are corrected at most: each costs a look-up among the trigrams of all words. */
const maxCorrected = 5;

/**
 * Looks up stems among the words of all articles. A stem of `written` that neither they nor the vocabulary have is taken for a
 * beginning of a word that has it, or for a misspelling of the most frequent word that is like it: by one letter, or by two for words of
 * seven letters and more.
 */
export async function readWords(
  read: Read,
  stems: readonly string[],
  written: readonly string[],
): Promise<CorpusWords> {
  const suspects = [...new Set(written)]
    .filter(stem => isCorrectable(stem) && !isKnownWord(stem))
    .slice(0, maxCorrected);
  const guesses = suspects.flatMap(stem => likeWords(stem).map(word => englishStem(word)));
  const asked = [...new Set([...stems, ...guesses])];
  const rows =
    asked.length === 0
      ? []
      : await read(sql<WordRow>`
    select lexeme, ndoc, articles, null as like from lexeme_df where lexeme = any (${asked}::text[])
    union all
    select near.* from unnest(${suspects}::text[]) as suspect (word) cross join lateral (
      select lexeme, ndoc, articles, suspect.word from lexeme_df
      where (lexeme % suspect.word or lexeme like suspect.word || '%')
        and not exists (select from lexeme_df where lexeme = suspect.word)
      order by starts_with(lexeme, suspect.word) desc, similarity(lexeme, suspect.word) desc limit 8) near`);
  const found = new Map(rows.map(({ lexeme, ndoc }) => [lexeme, ndoc]));
  const articles = rows[0]?.articles ?? 0;
  const corrections = new Map<string, string>();
  const continued = new Map<string, string[]>();
  for (const stem of suspects) {
    if (rows.some(({ lexeme, like }) => like === null && lexeme === stem)) continue;
    const endings =
      stem.length < minBeginning
        ? []
        : rows.filter(row => row.like === stem && row.lexeme.startsWith(stem)).map(row => row.lexeme);
    if (endings.length > 0) {
      continued.set(stem, endings);
      continue;
    }
    const best = bestCorrection(
      stem,
      rows.filter(row => row.like === stem).map(row => row.lexeme),
      found,
    );
    if (best !== undefined) corrections.set(stem, best);
  }
  return {
    rarest: Math.log(1 + Math.max(1, articles)),
    corrections,
    continued,
    weightOf(ways) {
      const frequencies = ways.map(way => Math.min(...way.map(stem => found.get(stem) ?? 0)));
      const most = Math.max(0, ...frequencies);
      return most === 0 ? undefined : Math.log(1 + articles / most);
    },
  };
}

const isCorrectable = (stem: string): boolean => stem.length >= 3 && /^[a-z]+$/.test(stem);

const toleranceOf = (stem: string): number => (stem.length >= 7 ? 2 : 1);

/** Words of the vocabulary that are like a misspelt one; the first letter of a short word is seldom wrong. */
function likeWords(stem: string): string[] {
  const limit = toleranceOf(stem);
  return [...vocabularyWords].flatMap(([known, word]) =>
    (stem.length > 4 || known[0] === stem[0]) && known.length >= 4 && editDistance(stem, known, limit) <= limit
      ? [word]
      : [],
  );
}

/** A short word is a letter away from many others: only one of the vocabulary that begins alike and is no shorter. */
const isSureCorrection = (stem: string, word: string): boolean =>
  word[0] === stem[0] && word.length >= stem.length && vocabularyWords.has(word);

function bestCorrection(stem: string, near: readonly string[], found: ReadonlyMap<string, number>): string | undefined {
  const limit = toleranceOf(stem);
  const candidates = new Set([...likeWords(stem).map(word => englishStem(word)), ...near]);
  const ranked = [...candidates]
    .map(word => ({ word, distance: editDistance(stem, word, limit), ndoc: found.get(word) ?? 0 }))
    .filter(
      ({ word, distance }) =>
        distance <= limit && word.length >= 4 && (stem.length > 4 || isSureCorrection(stem, word)),
    )
    .sort((one, other) => one.distance - other.distance || other.ndoc - one.ndoc);
  return ranked[0]?.word;
}
