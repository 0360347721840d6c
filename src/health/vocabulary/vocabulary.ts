import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stopWords } from '../articles/stop-words.ts';
import { englishStem } from './english-stem.ts';

/** How a phrase tells of its subject: it is a name of it, it describes it, or it names one of another kind (see `health-subjects.json`). */
export type PhraseKind = 'name' | 'sign' | 'kind';

/** A phrase of the vocabulary, as stems without stop words. */
interface Phrase {
  stems: readonly string[];
  kind: PhraseKind;
  subject: string;
}

/** A place of a text at which the vocabulary has phrases of one length. */
export interface PhraseMatch {
  /** Places of the words of the text. */
  places: number[];
  phrases: { kind: PhraseKind; subject: string }[];
}

interface Entry {
  id: string;
  names: string[];
  signs?: string[];
  isBroad?: true;
}

const readData = <T>(name: string): T => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as T;

/** «not» tells «cannot sleep» from «can sleep». */
const negations = new Set([
  'not',
  'no',
  'cant',
  'cannot',
  'dont',
  'wont',
  'never',
  'nothing',
  'nobody',
  'off',
  'up',
  'down',
  'over',
  'on',
  'out',
  'all',
]);

const separators = /[\p{Cc} -/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/u;

/** Words of a text in lower case, without accents; «can’t» is one word, as people leave the apostrophe out. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/([\p{L}])['’]([\p{L}])/gu, '$1$2')
    .toLowerCase()
    .split(separators)
    .filter(word => word !== '');
}

const contractions = new Set(
  'im ive id ill its thats whats hes shes youre were theyre isnt arent wasnt werent havent hasnt doesnt didnt dont cant wont couldnt wouldnt shouldnt theres lets'.split(
    ' ',
  ),
);

export const isStopWord = (word: string): boolean => stopWords.has(word) || contractions.has(word) || word.length < 2;

const { pairs } = readData<{ pairs: [string, string][] }>('spellings.json');
const britishStems = new Map(pairs.map(([british, american]) => [englishStem(american), englishStem(british)]));
const americanStems = new Map(pairs.map(([british, american]) => [englishStem(british), englishStem(american)]));

/** The stem by which the vocabulary knows a word: that of the British spelling. */
const keyOf = (word: string): string => {
  const stem = englishStem(word);
  return britishStems.get(stem) ?? stem;
};

/** The stems of the other spelling of a stem, if there is one. */
export const otherSpelling = (stem: string): string | undefined => americanStems.get(stem) ?? britishStems.get(stem);

const isKept = (word: string): boolean => !isStopWord(word) || negations.has(word);

const { subjects, kinds } = readData<{ subjects: Entry[]; kinds: Entry[] }>('health-subjects.json');

const broadSubjects = new Set<string>();
const namesBySubject = new Map<string, string[][]>();
const phrasesByFirst = new Map<string, Phrase[]>();
const knownStems = new Map<string, string>();

/** The stems of a name as a search uses them; none for a word that means it only with its stop words: «the runs», «under pressure». */
function searchableStems(name: string): string[] {
  const words = wordsOf(name);
  const content = words.filter(word => !isStopWord(word));
  return content.length === 1 && words.length > 1 ? [] : content.map(keyOf);
}

function add(text: string, kind: PhraseKind, subject: string): void {
  const words = wordsOf(text);
  const stems = words.filter(isKept).map(keyOf);
  const [first] = stems;
  if (first === undefined) return;
  const phrases = phrasesByFirst.get(first) ?? [];
  phrases.push({ stems, kind, subject });
  phrasesByFirst.set(first, phrases);
  if (kind !== 'sign')
    for (const word of words) if (word.length > 2 && !isStopWord(word)) knownStems.set(keyOf(word), word);
}

for (const { id, names, signs = [], isBroad } of subjects) {
  namesBySubject.set(
    id,
    names.map(searchableStems).filter(stems => stems.length > 0),
  );
  if (isBroad) broadSubjects.add(id);
  for (const name of names) add(name, 'name', id);
  for (const sign of signs) add(sign, 'sign', id);
}
for (const { id, names } of kinds) for (const name of names) add(name, 'kind', id);

/** The names of a subject, each as the stems of its words. */
export const namesOf = (subject: string): readonly string[][] => namesBySubject.get(subject) ?? [];

/** Whether a subject is a person or a complaint of many subjects. */
export const isBroad = (subject: string): boolean => broadSubjects.has(subject);

/** Whether a word of two letters is a name: «BP». */
export const isAbbreviation = (word: string): boolean =>
  word.length === 2 && (phrasesByFirst.get(word.toLowerCase())?.some(({ stems }) => stems.length === 1) ?? false);

/** Whether the vocabulary has the word: such a word is not misspelt. */
export const isKnownWord = (word: string): boolean => knownStems.has(keyOf(word)) || phrasesByFirst.has(keyOf(word));

/** Words of the vocabulary, by stem: what misspelt words are compared with. */
export const vocabularyWords: ReadonlyMap<string, string> = knownStems;

/** Words between those of a description that may stand where it has none: «tight feeling around the head». */
const maxGap = 1;

/** The phrases of a text at each of its words: the longest first, at most one for each length and place. */
export function phrasesIn(words: readonly string[]): PhraseMatch[] {
  const kept = words.flatMap((word, place) => (isKept(word) ? [{ key: keyOf(word), place }] : []));
  return kept.flatMap((_, start) => matchesAt(kept, start));
}

function matchesAt(kept: readonly { key: string; place: number }[], start: number): PhraseMatch[] {
  const byPlaces = new Map<string, PhraseMatch>();
  for (const { stems, kind, subject } of phrasesByFirst.get(kept[start]?.key ?? '') ?? []) {
    const places = placesOf(stems, kept, start, kind === 'sign' ? maxGap : 0);
    if (!places) continue;
    const match = byPlaces.get(places.join()) ?? { places, phrases: [] };
    if (!match.phrases.some(one => one.subject === subject && one.kind === kind)) match.phrases.push({ kind, subject });
    byPlaces.set(places.join(), match);
  }
  return [...byPlaces.values()].sort((one, other) => other.places.length - one.places.length);
}

function placesOf(
  stems: readonly string[],
  kept: readonly { key: string; place: number }[],
  start: number,
  gap: number,
): number[] | undefined {
  const places: number[] = [];
  let at = start;
  for (const stem of stems) {
    let skipped = 0;
    while (kept[at] !== undefined && kept[at]?.key !== stem && skipped < gap && places.length > 0) {
      at++;
      skipped++;
    }
    const found = kept[at];
    if (found?.key !== stem) return undefined;
    places.push(found.place);
    at++;
  }
  return places;
}
