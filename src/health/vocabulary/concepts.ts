import { type PhraseMatch, phrasesIn } from './match-phrases.ts';
import { isStopWord, namesOf, otherSpelling, type PhraseKind, stemOf, type Way, wordsOf } from './vocabulary.ts';

/** One thing that a text speaks of: a word, or a phrase of the vocabulary. */
export interface Concept {
  /** The words as they were written, in lower case and in one line. */
  words: string;
  /** Their places in the text. */
  places: number[];
  /** Stems of these words. */
  own: string[];
  /** The words as a way to say it. */
  way: Way;
  /** Other words for it. */
  others: Way[];
  /** What the vocabulary says of it; a word that it does not have. */
  kind: PhraseKind | 'word';
  subjects: string[];
  /** Whether its words mean it only together with stop words, so that `way` is another name of it. */
  isLiteral: boolean;
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
    'ago live lives lived living steps step tips tip guide info information facts fact sure true false maybe else without within per than really suddenly properly completely full hard easy nice stuff possible ' +
    'long food foods intake amount amounts level levels problem problems issue issues effect effects benefit benefits risk risks matter matters count counts difference deal deals dealing meant'
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
    const kind = kindOrder.find(one => phrases.some(phrase => phrase.kind === one)) ?? 'everyday';
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

/** What a phrase is, where it is several. */
const kindOrder = ['name', 'kind', 'elsewhere', 'sign', 'everyday'] as const;

/** Names go before descriptions of the same length. */
const rankOf = ({ phrases }: PhraseMatch): number => (phrases.some(({ kind }) => kind !== 'sign') ? 0 : 1);

function conceptOf(words: readonly string[], places: number[], kind: Concept['kind'], subjects: string[]): Concept {
  const content = words.filter(word => !isStopWord(word));
  const own = [...new Set((content.length > 0 ? content : words).map(stemOf))];
  const isAdjacent = kind !== 'sign' && content.length === own.length;
  const gaps = content.slice(1).map((_, at) => distance(words, places, content, at));
  const way: Way = { stems: own, gaps: isAdjacent ? gaps : undefined };
  const others = subjects.flatMap(subject => namesOf(subject));
  for (const one of [way, ...others]) {
    const stems = one.stems.map(stem => otherSpelling(stem) ?? stem);
    if (stems.some((stem, at) => stem !== one.stems[at])) others.push({ ...one, stems });
  }
  // «the runs» is a name, and «run» is none.
  const [first] = others;
  if (first && content.length === 1 && words.length > 1)
    return {
      words: words.join(' '),
      places,
      own,
      way: first,
      others: others.slice(1),
      kind,
      subjects,
      isLiteral: true,
    };
  const known = new Set([own.join(' ')]);
  const different = others.filter(({ stems }) => !known.has(stems.join(' ')) && known.add(stems.join(' ')));
  return { words: words.join(' '), places, own, way, others: different, kind, subjects, isLiteral: false };
}

/** How far apart two neighbouring words with a meaning are in the text. */
function distance(words: readonly string[], places: readonly number[], content: readonly string[], at: number): number {
  const placeOf = (word = ''): number => places[words.indexOf(word)] ?? 0;
  return Math.max(1, placeOf(content[at + 1]) - placeOf(content[at]));
}

function unique(concepts: Concept[]): Concept[] {
  const seen = new Set<string>();
  return concepts.filter(({ own }) => !seen.has(own.join(' ')) && seen.add(own.join(' ')));
}
