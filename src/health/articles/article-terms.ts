import { normalizeText } from 'triage/text/normalize-text';
import type { Read } from '../../db/read.ts';
import { type Concept, conceptsOf } from '../vocabulary/concepts.ts';
import { type CorpusWords, readWords } from '../vocabulary/corpus-words.ts';
import { englishStem } from '../vocabulary/english-stem.ts';
import { phrasesIn } from '../vocabulary/match-phrases.ts';
import {
  isAbbreviation,
  isBroad,
  isCircumstance,
  isReading,
  otherSpelling,
  type Way,
  wordsOf,
} from '../vocabulary/vocabulary.ts';
import { limitTerms, splitTerms } from './search-terms.ts';
import { stopWords } from './stop-words.ts';

/** Minimum length of a term; the index holds word endings from this length on. */
const minTermLength = 3;

/** Word separators, as in the database function `search_words`. */
const separators = /[\p{Cc} -/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/u;

/** What an article must have for one term of a search. */
export interface ArticleTerm {
  /** Texts, each of which it contains: not in lower case, which is made by the database for articles and terms alike. */
  contained: string[];
  /** Ways to say it: as it was written, synonyms, corrections. */
  ways: Way[];
  /** Of those, the one that says what was written, and not something like it. */
  own: Way;
  /** Whether a way to say it is what was written, in either spelling: it counts in bodies too, other words in headings only. */
  isWritten(way: Way): boolean;
  /** Whether the words must follow one another. */
  isPhrase: boolean;
  /** What the vocabulary says of it. */
  kind: Concept['kind'];
  /** Whether it tells by itself what a search is about. */
  isSubject: boolean;
  /** The word, if it is one that the vocabulary does not have. */
  word: string | undefined;
  /** Rarity among the articles of what is said in any way, by kind; undefined for what no article has. */
  weight: number | undefined;
  /** The same of what was written. */
  ownWeight: number | undefined;
}

/** What a term is worth by its kind: names tell what a search is about, other words of what there is to it. */
const kindWeights = { name: 1.6, sign: 1.4, kind: 1.6, elsewhere: 1, everyday: 1, word: 0.7 } as const;

/** The same of a word for a person, a part of the body, a place or a time. */
const circumstanceWeight = 0.4;

/** The terms of a search that is not blank; none for words without meaning alone, which find nothing. */
export interface ArticleSearch {
  terms: readonly ArticleTerm[];
  /** Whether articles with most of the terms may answer if none has all: not for quotations and lists of terms. */
  isPartial: boolean;
  /** Whether it may have words that no article has. */
  isSentence: boolean;
  /** Whether it has stop words, as only sentences do: each word tells something then, and none is a condition. */
  isProse: boolean;
  /** Its words in their order, without quotations. */
  words: readonly string[];
}

/** Words from which a search may have words that no article has: of two, clients expect that both match. */
const minSentenceWords = 3;

/** Not lower-cased here: PostgreSQL folds fewer letters in the C locale, and terms must be folded like the articles. */
const splitWords = (term: string): string[] =>
  normalizeText(term, 'NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .split(separators)
    .filter(word => word !== '');

const isSearchable = (word: string): boolean =>
  isAbbreviation(word) || (word.length >= minTermLength && !stopWords.has(word.toLowerCase()));

/**
 * The terms of a search, or null for a blank one. Drops terms without meaning: stop words, words of one or two letters, phrases of only
 * these, and the words of questions next to others.
 * @param corrections stems that are misspelt, and what they are read as
 * @throws GraphQLError (400) as `splitTerms` and `limitTerms` do
 */
export function parseArticleSearch(
  search: string | null | undefined,
  corrections: ReadonlyMap<string, string> = new Map(),
): ArticleSearch | null {
  const written = splitTerms(search);
  if (written.length === 0) return null;
  const searchable = written.filter(term => splitWords(term).some(isSearchable));
  if (searchable.length === 0) {
    limitTerms(written);
    return { terms: [], isPartial: false, isSentence: false, isProse: false, words: [] };
  }
  limitTerms(mergeContained(searchable));
  const quoted = new Set(
    [...(search ?? '').matchAll(/"([^"]*)"|'([^']*)'/g)].map(found => (found[1] ?? found[2] ?? '').trim()),
  );
  const isPhrase = (term: string): boolean => quoted.has(term) || isUnknownCompound(term);
  const phrases = searchable.filter(isPhrase).map(phraseTerm);
  const said = written.filter(term => !isPhrase(term));
  const terms = [...phrases, ...conceptTerms(said, corrections)];
  const isList = quoted.size > 0 || /,\s*\S/.test(search ?? '');
  return {
    terms: dropContained(terms),
    isPartial: !isList,
    isSentence: written.length >= minSentenceWords,
    isProse: written.length >= minSentenceWords && said.some(term => stopWords.has(term.toLowerCase())),
    words: said.flatMap(wordsOf),
  };
}

/** Terms without those that another one contains, ignoring case: what counts as a term. */
function mergeContained(terms: readonly string[]): string[] {
  const distinct = [...new Set(terms.map(term => splitWords(term).join(' ').toLowerCase()))];
  return distinct.filter(term => !distinct.some(other => other !== term && other.includes(term)));
}

/** «covid-19»: its parts mean something else, and the vocabulary does not have it. */
function isUnknownCompound(term: string): boolean {
  const words = splitWords(term);
  if (words.length < 2 || wordsOf(term).length < 2 || isReading(term)) return false;
  return !phrasesIn(wordsOf(term)).some(({ places }) => places.length === words.length);
}

const phraseTerm = (term: string): ArticleTerm => {
  const words = splitWords(term);
  return {
    contained: [words.join(' ')],
    ways: [],
    own: { stems: [], gaps: [] },
    isWritten: () => true,
    isPhrase: true,
    kind: 'word',
    isSubject: false,
    word: undefined,
    weight: 1,
    ownWeight: 1,
  };
};

function conceptTerms(written: readonly string[], corrections: ReadonlyMap<string, string>): ArticleTerm[] {
  const words = written.flatMap(term => wordsOf(term).map(word => ({ word, term })));
  return conceptsOf(words.map(({ word }) => corrections.get(englishStem(word)) ?? word)).flatMap(concept => {
    const originals = [...new Set(concept.places.map(place => words[place]?.term ?? ''))];
    return termOf(
      concept,
      originals.filter(term => splitWords(term).some(isSearchable)),
    );
  });
}

function termOf(concept: Concept, originals: readonly string[]): ArticleTerm[] {
  const { way: own, others, kind, words, subjects, isLiteral } = concept;
  const contained = (isLiteral ? [] : originals).map(term => splitWords(term).join(' '));
  if (contained.length === 0 && others.length === 0) return [];
  const word = kind === 'word' ? words : undefined;
  const isSubject = (kind === 'name' || kind === 'sign' || kind === 'kind') && !subjects.every(isBroad);
  return [
    {
      contained,
      ways: [own, ...others],
      own,
      isWritten: way =>
        way.stems.every((stem, at) => stem === own.stems[at] || stem === otherSpelling(own.stems[at] ?? '')),
      isPhrase: false,
      kind,
      isSubject,
      word,
      weight: undefined,
      ownWeight: undefined,
    },
  ];
}

function dropContained(terms: readonly ArticleTerm[]): ArticleTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ contained, own }) => {
    const key = `${contained.join(' ').toLowerCase()} ${own.stems.join(' ')}`;
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * The same search with what the articles tell of its words: how rare they are, how a beginning of a word goes on, and what a word that
 * none of them has is a misspelling of. One statement, a second one if there are misspellings.
 */
export async function readArticleSearch(read: Read, search: string | null | undefined): Promise<ArticleSearch | null> {
  const parsed = parseArticleSearch(search);
  if (parsed === null || parsed.terms.length === 0) return parsed;
  const words = await readWordsOf(read, parsed);
  if (words.corrections.size === 0) return weighed(parsed, words);
  const corrected = parseArticleSearch(search, words.corrections) ?? parsed;
  return weighed(corrected, await readWordsOf(read, corrected));
}

function readWordsOf(read: Read, { terms, words }: ArticleSearch): Promise<CorpusWords> {
  const stems = terms.flatMap(({ ways }) => ways.flatMap(way => way.stems));
  return readWords(
    read,
    stems,
    terms.flatMap(({ word }) => word ?? []),
    words,
  );
}

function weighed(search: ArticleSearch, words: CorpusWords): ArticleSearch {
  const terms = search.terms.map(term => withWeight(term, words));
  const isPartial = terms.every(term => term.weight !== undefined || mayBeMissing(term, search.isSentence));
  return { ...search, isPartial: search.isPartial && isPartial, terms };
}

/** Whether a term that no article has may be ignored: never what names a subject, so that «gout diet» finds no other diets. */
const mayBeMissing = ({ kind, own }: ArticleTerm, isSentence: boolean): boolean =>
  kind !== 'kind' && (isSentence || (own.stems.length === 1 && isCircumstance(own.stems[0] ?? '')));

function withWeight(term: ArticleTerm, words: CorpusWords): ArticleTerm {
  if (term.isPhrase) return term;
  const [only, ...more] = term.own.stems;
  const endings = only !== undefined && more.length === 0 ? (words.continued.get(only) ?? []) : [];
  const ways = [...term.ways, ...endings.map((one): Way => ({ stems: [one], gaps: [] }))];
  const isPlace = term.word !== undefined && isCircumstance(only ?? '');
  const weightOf = (some: readonly Way[]): number | undefined => {
    const rarity = words.weightOf(some);
    return rarity && rarity * (isPlace ? circumstanceWeight : kindWeights[term.kind]);
  };
  const weight = weightOf(ways);
  return { ...term, ways, weight, ownWeight: weightOf([term.own]) ?? weight };
}
