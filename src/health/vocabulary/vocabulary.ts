import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { normalizeText } from 'triage/text/normalize-text';
import { stopWords } from '../articles/stop-words.ts';
import { englishStem } from './english-stem.ts';

/** How a phrase tells of its subject: see `health-subjects.json`. */
export type PhraseKind = 'name' | 'sign' | 'kind' | 'elsewhere' | 'everyday';

/** A phrase of the vocabulary. */
export interface Phrase {
  /** For each word the stems that may stand in its place. */
  places: readonly ReadonlySet<string>[];
  order: 'adjacent' | 'any';
  /** Whether stop words count: «the runs» is not «runs». */
  isLiteral: boolean;
  kind: PhraseKind;
  subject: string;
}

/** Words that say something. */
export interface Way {
  stems: readonly string[];
  /** Distances between the words, which follow one another in this order; undefined if they may stand anywhere. */
  gaps: readonly number[] | undefined;
}

/** Lists are lines of texts that are separated by commas. */
interface HealthSubjects {
  classes: Record<string, string[]>;
  subjects: { id: string; names: string[]; signs?: string[]; isBroad?: true }[];
  kinds: string[];
  elsewhere: Record<string, string[]>;
  everyday: Record<string, string[]>;
  circumstances: string[];
}

const readData = <T>(name: string): T => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as T;

/** Stop words that tell descriptions apart: «cannot sleep» from «can sleep», «throw up» from «throw». */
const keptStopWords = new Set(
  'not no cant cannot dont wont never nothing nobody off up down over on out all'.split(' '),
);

const separators = /[\p{Cc} -/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/u;

/** A reading of blood pressure: «150/95», «150 over 95». */
const pressureReading = /\b([12]?\d\d)\s*(?:\/|over)\s*(\d{2,3})\b/g;

/** Whether a term is a reading, and not words that are joined. */
export const isReading = (term: string): boolean => term.replace(pressureReading, '').trim() === '';

/** Words of a text in lower case, without accents; «can’t» is one word, as people leave the apostrophe out, and «10,000» is one. */
export function wordsOf(text: string): string[] {
  const told = text.replace(
    pressureReading,
    (_, upper: string, lower: string) => `${Number(upper) < 135 ? '' : 'high '}blood pressure ${upper} ${lower}`,
  );
  return normalizeText(told, 'NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/([\p{L}])['’]([\p{L}])/gu, '$1$2')
    .replace(/(\d)[,.](?=\d{3}\b)/g, '$1')
    .toLowerCase()
    .split(separators)
    .filter(word => word !== '');
}

/** Stands between the words of two sentences. It is a stop word and part of no phrase. */
export const sentenceEnd = '.';

const sentenceEnds = /(?<=[\p{L}\d)"'’])(?:[.!?…]+(?=\s)|\s*[\n;]+)/u;

/** The words of a text in their order, with `sentenceEnd` between sentences. */
export const wordsOfSentences = (text: string): string[] =>
  text
    .split(sentenceEnds)
    .map(wordsOf)
    .filter(words => words.length > 0)
    .flatMap((words, at) => (at === 0 ? words : [sentenceEnd, ...words]));

const contractions = new Set(
  'im ive id ill its thats whats hes shes youre were theyre isnt arent wasnt werent havent hasnt doesnt didnt dont cant wont couldnt wouldnt shouldnt theres lets'.split(
    ' ',
  ),
);

export const isStopWord = (word: string): boolean => stopWords.has(word) || contractions.has(word) || word.length < 2;

const { pairs } = readData<{ pairs: [string, string][] }>('spellings.json');
const britishStems = new Map(pairs.map(([british, american]) => [englishStem(american), englishStem(british)]));
const americanStems = new Map(pairs.map(([british, american]) => [englishStem(british), englishStem(american)]));

/** Words whose stem is that of another word: «teeth», «aid», «or», «fast». */
const unstemmed = new Set(['teething', 'aids', 'ors', 'fasting']);

/** Stems of words that were read before: to make them took half of the time of reading a text. Emptied when it is full. */
const stems = new Map<string, string>();
const maxStems = 20_000;
/** Longer ones are no words, and would fill the memory. */
const maxStemmed = 40;

/** The stem of a word of a text. */
export const stemOf = (word: string): string => {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = unstemmed.has(word) ? word : englishStem(word);
  if (stems.size >= maxStems) stems.clear();
  if (word.length <= maxStemmed) stems.set(word, stem);
  return stem;
};

/** The stem by which the vocabulary knows a word: that of the British spelling. */
export const keyOf = (word: string): string => {
  const stem = stemOf(word);
  return britishStems.get(stem) ?? stem;
};

/** The stems of the other spelling of a stem, if there is one. */
export const otherSpelling = (stem: string): string | undefined => americanStems.get(stem) ?? britishStems.get(stem);

/** A digit tells «type 1 diabetes» from «type 2 diabetes». */
export const isKept = (word: string): boolean => !isStopWord(word) || keptStopWords.has(word) || /^\d$/.test(word);

const listOf = (lines: readonly string[]): string[] => lines.flatMap(line => line.split(',').map(one => one.trim()));

const data = readData<HealthSubjects>('health-subjects.json');
const classes = new Map(
  Object.entries(data.classes).map(([name, words]) => [`<${name}>`, new Set(listOf(words).map(keyOf))]),
);

const broadSubjects = new Set(data.subjects.filter(one => one.isBroad).map(({ id }) => id));
const namesBySubject = new Map<string, Way[]>();
const phrasesByStem = new Map<string, Phrase[]>();
const knownStems = new Set<string>();
const termWords = new Set<string>();

/** Words of a text in their order, as a way to say it. */
export function wayOf(words: readonly string[]): Way {
  const content = words.flatMap((word, at) => (isStopWord(word) ? [] : [{ stem: keyOf(word), at }]));
  const gaps = content.slice(1).map(({ at }, no) => at - (content[no]?.at ?? at));
  return { stems: content.map(({ stem }) => stem), gaps };
}

/** A name as a search uses it; undefined for a word that means it only with its stop words: «the runs», «under pressure». */
function searchableName(name: string): Way | undefined {
  const words = wordsOf(name);
  const way = wayOf(words);
  return way.stems.length === 0 || (way.stems.length === 1 && words.length > 1) ? undefined : way;
}

function add(text: string, kind: PhraseKind, subject: string, wanted = kind === 'sign' ? 'any' : 'adjacent'): void {
  const words = text.split(' ').flatMap(part => (classes.has(part) ? [part] : wordsOf(part)));
  const kept = words.filter(word => classes.has(word) || isKept(word));
  const isLiteral = kept.length === 1 && words.length > 1;
  const places = (isLiteral ? words : kept).map(word => classes.get(word) ?? new Set([keyOf(word)]));
  const order = wanted === 'any' && !isLiteral ? 'any' : 'adjacent';
  // A phrase is looked up by the word that has the fewest forms; the words of an adjacent one by the first.
  if (order === 'any') places.sort((one, other) => one.size - other.size);
  for (const stem of places[0] ?? []) {
    const phrases = phrasesByStem.get(stem) ?? [];
    phrases.push({ places, order, isLiteral, kind, subject });
    phrasesByStem.set(stem, phrases);
  }
  for (const word of words) {
    if (classes.has(word) || word.length <= 2 || isStopWord(word)) continue;
    knownStems.add(keyOf(word));
    if (kind !== 'sign' || words.length === 1) termWords.add(word);
  }
}

/** Words that stand beside a word in a name: «bowel» beside «irritable». */
const neighbours = new Map<string, Set<string>>();

export const neighboursOf = (word: string): ReadonlySet<string> => neighbours.get(keyOf(word)) ?? new Set();

function addNeighbours(name: string): void {
  const words = wordsOf(name).filter(word => !isStopWord(word));
  for (const [at, word] of words.entries()) {
    for (const other of [words[at - 1], words[at + 1]]) {
      if (other === undefined) continue;
      const known = neighbours.get(keyOf(word)) ?? new Set();
      neighbours.set(keyOf(word), known.add(other));
    }
  }
}

function addNames(subject: string, names: readonly string[], kind: PhraseKind): void {
  const ways = names.map(searchableName).filter(way => way !== undefined);
  // The words of a subject that articles tell of may be apart in a headline: «Why blood sugar can rise at night». Those of other
  // things are adjacent: «blood group» is not in «blood tests in a group».
  namesBySubject.set(subject, kind === 'name' ? ways.map(({ stems }) => ({ stems, gaps: undefined })) : ways);
  for (const name of names) {
    add(name, kind, subject);
    addNeighbours(name);
  }
}

for (const { id, names, signs = [] } of data.subjects) {
  addNames(id, listOf(names), 'name');
  for (const sign of listOf(signs)) add(sign, 'sign', id);
}
for (const line of data.kinds) {
  const [names = [], signs = []] = line.split('/').map(part => listOf([part]));
  const [kind = ''] = names;
  addNames(kind, names, 'kind');
  for (const sign of signs) add(sign, 'kind', kind, 'any');
}
for (const [group, words] of Object.entries(data.elsewhere))
  for (const word of listOf(words)) add(word, 'elsewhere', group, 'any');
for (const [group, words] of Object.entries(data.everyday))
  for (const word of listOf(words)) add(word, 'everyday', group);

const circumstances = new Set(listOf(data.circumstances).map(keyOf));

/** The names of a subject. */
export const namesOf = (subject: string): readonly Way[] => namesBySubject.get(subject) ?? [];

/** Phrases that are looked up by a word, by its key. */
export const phrasesWith = (key: string): readonly Phrase[] => phrasesByStem.get(key) ?? [];

/** Whether a subject is a person or a complaint of many subjects. */
export const isBroad = (subject: string): boolean => broadSubjects.has(subject);

/** Whether a word names a person, a part of the body, a place, a time: what a search tells and an article need not. */
export const isCircumstance = (stem: string): boolean => circumstances.has(britishStems.get(stem) ?? stem);

/** Whether a word of two letters is a name: «BP». */
export const isAbbreviation = (word: string): boolean =>
  word.length === 2 &&
  (phrasesByStem.get(word.toLowerCase())?.some(({ places, kind }) => places.length === 1 && kind !== 'sign') ?? false);

/** Whether the vocabulary has the word: such a word is not misspelt. */
export const isKnownWord = (word: string): boolean => {
  const key = keyOf(word);
  return knownStems.has(key) || phrasesByStem.has(key) || circumstances.has(key);
};

/** Words that misspelt ones are compared with: those of names, not the everyday words of descriptions. */
export const vocabularyWords: ReadonlySet<string> = termWords;
