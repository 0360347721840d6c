import { englishStem } from './english-stem.ts';
import { isStopWord, namesOf, otherSpelling, type PhraseMatch, phrasesIn, wordsOf } from './vocabulary.ts';

/** One thing that a text speaks of: a word, or a phrase of the vocabulary. */
export interface Concept {
  /** The words as they were written, in lower case and in one line. */
  words: string;
  /** Their places in the text. */
  places: number[];
  /** Stems, each of which is needed. */
  own: string[];
  /** Other words for it, each as the stems of its words. */
  others: string[][];
  /** What the vocabulary says of it: a name of a subject, a description, another kind of subject; or a word that it does not have. */
  kind: 'name' | 'sign' | 'kind' | 'word';
  subjects: string[];
}

/** Words that phrase a question rather than its subject («tell me how to treat …»); they are no terms next to others. */
const questionWords = new Set(
  (
    'tell know explain help helps helping helped want wants need needs please give say says said tells ask asked question advice advise something ' +
    'anything thing things everything good best better well get gets getting got go goes going gone went make makes made making use used using hello hi thanks thank ' +
    'mean means like tri try tried would could may might must also really much many often ever even still already yet quite rather ' +
    'friend doctor doctors gp recommend suggest wonder wondering today tomorrow yesterday day days week weeks month months year years ' +
    'time times every always sometimes never lot lots bit little big few whole half about around ok okay normal right wrong bad worse worst ' +
    'happen happens happened happening come comes coming came take takes taking took put let keep keeps keeping think thinking feel feels feeling felt ' +
    'look looks see say start started starting stop stopped stopping work works one two three four five six seven eight nine ten ' +
    'im ive dont cant wont whats thats since old young new next last first way ways reason reasons cause causes caused actually ' +
    'treat treatment treating cure fix remedy remedies sign signs symptom symptoms avoid eat people person man woman men women someone somebody anyone anybody kind sort ' +
    'ago live lives lived living steps step tips tip guide info information facts fact sure true false maybe else without within per than really suddenly properly completely full hard easy nice stuff possible'
  ).split(' '),
);

/** Numbers are measures of something that the other words name. */
export const isQuestionWord = (word: string): boolean => questionWords.has(word) || /^\d+$/.test(word);

/**
 * The concepts of a text, in its order: phrases of the vocabulary where it has them, the longest first, and the other words one by one.
 * Without stop words; without the words of questions where others are left.
 */
export function conceptsOf(text: string | readonly string[]): Concept[] {
  const words = typeof text === 'string' ? wordsOf(text) : text;
  const taken = new Set<number>();
  const found: { place: number; concept: Concept }[] = [];
  const matches = phrasesIn(words).sort(
    (one, other) => other.places.length - one.places.length || rankOf(one) - rankOf(other),
  );
  for (const { places, phrases } of matches) {
    if (places.some(place => taken.has(place))) continue;
    for (const place of places) taken.add(place);
    const written = places.map(place => words[place] ?? '');
    const kind =
      phrases.find(one => one.kind === 'name')?.kind ?? phrases.find(one => one.kind === 'sign')?.kind ?? 'kind';
    const subjects = phrases.filter(one => one.kind === kind).map(one => one.subject);
    found.push({ place: places[0] ?? 0, concept: conceptOf(written, places, kind, subjects) });
  }
  for (const [place, word] of words.entries()) {
    if (!taken.has(place) && !isStopWord(word)) found.push({ place, concept: conceptOf([word], [place], 'word', []) });
  }
  const concepts = found.sort((one, other) => one.place - other.place).map(({ concept }) => concept);
  const told = concepts.filter(({ kind, words: said }) => kind !== 'word' || !isQuestionWord(said));
  return unique(told.length > 0 ? told : concepts);
}

/** Names go before descriptions of the same length. */
const rankOf = ({ phrases }: PhraseMatch): number => (phrases.some(({ kind }) => kind !== 'sign') ? 0 : 1);

function conceptOf(words: readonly string[], places: number[], kind: Concept['kind'], subjects: string[]): Concept {
  const content = words.filter(word => !isStopWord(word));
  const own = [...new Set((content.length > 0 ? content : words).map(englishStem))];
  const others = subjects.flatMap(subject => namesOf(subject));
  for (const spelling of [own, ...others]) {
    const respelt = spelling.map(stem => otherSpelling(stem) ?? stem);
    if (respelt.some((stem, at) => stem !== spelling[at])) others.push(respelt);
  }
  const known = new Set([own.join(' ')]);
  const different = others.filter(other => !known.has(other.join(' ')) && known.add(other.join(' ')));
  return { words: words.join(' '), places, own, others: different, kind, subjects };
}

function unique(concepts: Concept[]): Concept[] {
  const seen = new Set<string>();
  return concepts.filter(({ own }) => !seen.has(own.join(' ')) && seen.add(own.join(' ')));
}
