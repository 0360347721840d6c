import { sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import { englishStem } from './english-stem.ts';
import { englishWords } from './english-words.ts';
import { candidateTable, isSlipOf, likeStems } from './misspellings.ts';
import { isKnownWord, neighboursOf, type Way } from './vocabulary.ts';

/** What the articles tell of words. */
export interface CorpusWords {
  /** The weight of a word of one article. */
  rarest: number;
  /** Misspelt stems and what they are a misspelling of. */
  corrections: ReadonlyMap<string, string>;
  /** Beginnings of words, and stems that go on from them, the most frequent ones. */
  continued: ReadonlyMap<string, readonly string[]>;
  /** Inverse document frequency of what is said in one of several ways; undefined for what no article has. */
  weightOf(ways: readonly Way[]): number | undefined;
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
 * Looks up stems among the words of all articles. A word of `written` that neither they nor the vocabulary nor English have is taken for
 * a beginning of a word that has it, or for a misspelling of the most frequent word that is most like it (`misspellings.ts`). An
 * English word that no article has is corrected beside a word that it would be a name with: «irritable bowl».
 * @param text the words in their order
 */
export async function readWords(
  read: Read,
  stems: readonly string[],
  written: readonly string[],
  text: readonly string[] = [],
): Promise<CorpusWords> {
  const unknown = new Set(written.filter(word => isCorrectable(word) && !isKnownWord(word)));
  const english = unknown.size > 0 ? await englishWords() : undefined;
  if (english) await candidateTable.load();
  const suspects = [...unknown].filter(word => !english?.has(word)).slice(0, maxCorrected);
  const stemsOfSuspects = suspects.map(englishStem);
  const guesses = suspects.flatMap(word => likeStems(word, []).map(({ stem }) => stem));
  const asked = [...new Set([...stems, ...guesses])];
  const rows =
    asked.length === 0
      ? []
      : await read(sql<WordRow>`
    select lexeme, ndoc, articles, null as like from lexeme_df where lexeme = any (${asked}::text[])
    union all
    select near.* from unnest(${stemsOfSuspects}::text[]) as suspect (word) cross join lateral (
      select lexeme, ndoc, articles, suspect.word from lexeme_df
      where (lexeme % suspect.word or lexeme like suspect.word || '%')
        and not exists (select from lexeme_df where lexeme = suspect.word)
      order by starts_with(lexeme, suspect.word) desc, similarity(lexeme, suspect.word) desc limit 8) near`);
  const found = new Map(rows.map(({ lexeme, ndoc }) => [lexeme, ndoc]));
  const articles = rows[0]?.articles ?? 0;
  const corrections = new Map<string, string>();
  const continued = new Map<string, string[]>();
  for (const word of suspects) {
    const stem = englishStem(word);
    if (rows.some(({ lexeme, like }) => like === null && lexeme === stem)) continue;
    const near = rows.filter(row => row.like === stem).map(row => row.lexeme);
    const endings = stem.length < minBeginning ? [] : near.filter(one => one.startsWith(stem));
    if (endings.length > 0) {
      continued.set(stem, endings);
      continue;
    }
    const [best] = likeStems(word, near)
      .map(one => ({ ...one, ndoc: found.get(one.stem) ?? 0 }))
      .sort((one, other) => one.distance - other.distance || other.ndoc - one.ndoc);
    if (best) corrections.set(stem, best.stem);
  }
  for (const [at, word] of text.entries()) {
    const stem = englishStem(word);
    if (!unknown.has(word) || corrections.has(stem) || continued.has(stem) || found.has(stem)) continue;
    const beside = [text[at - 1], text[at + 1]].flatMap(one =>
      one === undefined ? [] : (corrections.get(englishStem(one)) ?? one),
    );
    const meant = beside.flatMap(one => [...neighboursOf(one)]).find(one => isSlipOf(word, one));
    if (meant !== undefined) corrections.set(stem, meant);
  }
  return {
    rarest: Math.log(1 + Math.max(1, articles)),
    corrections,
    continued,
    weightOf(ways) {
      const frequencies = ways.map(({ stems: all }) =>
        all.reduce((least, stem) => Math.min(least, found.get(stem) ?? 0), Number.POSITIVE_INFINITY),
      );
      const most = frequencies.reduce((a, b) => Math.max(a, b), 0);
      return most === 0 ? undefined : Math.log(1 + articles / most);
    },
  };
}

/** Longest word that is looked for among like ones. */
const maxWordLength = 64;

const isCorrectable = (word: string): boolean =>
  word.length >= 3 && word.length <= maxWordLength && /^[a-z]+$/.test(word);
