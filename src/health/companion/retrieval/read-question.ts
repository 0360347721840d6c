import type { Read } from '../../../db/read.ts';
import { isIndexed } from '../../articles/way-queries.ts';
import { type Concept, conceptsOf, isQuestionWord } from '../../vocabulary/concepts.ts';
import { type CorpusWords, readWords } from '../../vocabulary/corpus-words.ts';
import { englishStem } from '../../vocabulary/english-stem.ts';
import { isBroad, namesOf, type Way, wordsOfSentences } from '../../vocabulary/vocabulary.ts';
import type { Asked, AskedConcept, Detail } from './choose-articles.ts';
import { guessSubject, isTaught, type SubjectGuess, subjectClasses } from './subject-model.ts';
import { vectorTable } from './word-vectors.ts';

/** Concepts of a question, the rarest first: each costs a look-up in every block of the index. */
const maxConcepts = 16;

/** What a concept is worth, over a plain word: the vocabulary has what questions are about. */
const kindWeights = { name: 1.7, sign: 1.3, kind: 1.6, elsewhere: 1.6, everyday: 1, word: 0.6 } as const;

/** The least rarity of what the vocabulary names: many articles mention alcohol, and a question about it is about nothing else. */
const minNamedIdf = 1.6;

/** Subjects whose articles are looked up because a question sounds like them: the most probable, from this probability. */
const maxGuesses = 3;
const minGuess = 0.05;

/** What a subject that a question sounds like weighs when articles are looked up, times its probability. */
const guessWeight = 4;

/** An animal of the person who asks, which does something: «my cat won’t eat», but not «I walk my dog». */
const ailingAnimal =
  /\b(?:(?:my|our|his|her|the|a)\s+)?(?:old\s+|little\s+)?(?:dog|cat|puppy|kitten|rabbit|hamster|horse|pony|parrot|budgie|tortoise|guinea pig|goldfish|hen|cow)(?:['’]?s)?\s+(?:has|had|have|is|was|keeps?|won['’]?t|will|can['’]?t|does|did|got|ate|eats|started|seems|drinks|drank|limps?|coughs?|vomits?|scratch\w*|licks?|sneezes?|shakes?|sleeps?|nose|ear|paw|teeth|coat|skin|eyes?)\b/i;

/** Without the words of the question itself, also where there are no others. */
const subjectsOf = (words: readonly string[]): Concept[] =>
  conceptsOf(words).filter(({ kind, words: said }) => kind !== 'word' || !isQuestionWord(said));

/** What the words of a question say. */
interface Reading {
  concepts: Concept[];
  guess: SubjectGuess;
  guesses: { no: number; probability: number; ways: Way[] }[];
}

/** What the model says of a question in another language, of which it knows nothing. */
const unknownSubject: SubjectGuess = { classes: [], none: 1 };

function read(words: readonly string[], isEnglish: boolean): Reading {
  const concepts = subjectsOf(words);
  if (!isEnglish) return { concepts, guess: unknownSubject, guesses: [] };
  const guess = guessSubject(words, concepts);
  const guesses = guess.classes
    .map((probability, no) => ({ no, probability }))
    .filter(({ probability }) => probability >= minGuess)
    .sort((one, other) => other.probability - one.probability)
    .slice(0, maxGuesses)
    .map(one => ({ ...one, ways: (subjectClasses()[one.no]?.finds ?? []).flatMap(namesOf).filter(isIndexed) }));
  return { concepts, guess, guesses };
}

const stemsOf = ({ concepts, guesses }: Reading): string[] => [
  ...concepts.flatMap(({ own, way, others }) => [...own, ...way.stems, ...others.flatMap(({ stems }) => stems)]),
  ...guesses.flatMap(({ ways }) => ways.flatMap(({ stems }) => stems)),
];

/**
 * The concepts of a question with their rarity among the articles, and the subjects that it sounds like.
 * @param isEnglish misspellings are corrected, and the model is asked: «père» is no misspelling of «pore», and «pain» is bread
 */
export async function readQuestion(database: Read, question: string, isEnglish: boolean): Promise<Asked> {
  if (isEnglish) await vectorTable.load();
  const words = wordsOfSentences(question);
  let reading = read(words, isEnglish);
  const plain = reading.concepts.flatMap(({ kind, words: said }) => (isEnglish && kind === 'word' ? [said] : []));
  let corpus = await readWords(database, stemsOf(reading), plain, isEnglish ? words : []);
  if (corpus.corrections.size > 0) {
    reading = read(
      words.map(word => corpus.corrections.get(englishStem(word)) ?? word),
      isEnglish,
    );
    corpus = await readWords(database, stemsOf(reading), []);
  }
  const { concepts, guess, guesses } = reading;
  const rarest = weigh(concepts, corpus, isEnglish)
    .toSorted((one, other) => Number(other.isKnown) - Number(one.isKnown) || other.weight - one.weight)
    .slice(0, maxConcepts);
  const known = guesses.flatMap(({ no, probability, ways }) => {
    const said = ways.filter(way => corpus.weightOf([way]) !== undefined);
    return said.length > 0 ? [{ no, probability, ways: said }] : [];
  });
  // A subject that no article has is none.
  const untold = guesses.filter(({ no }) => !known.some(one => one.no === no));
  return {
    concepts: rarest.map((concept, no) => ({ ...concept, no })),
    guesses: known.map(({ probability, ways }, at) => ({
      no: rarest.length + at,
      ways,
      weight: guessWeight * probability,
    })),
    guess: { ...guess, none: untold.reduce((sum, { probability }) => sum + probability, guess.none) },
    details: detailsOf(concepts, corpus),
    isOfAnimal: ailingAnimal.test(question),
  };
}

const weigh = (concepts: readonly Concept[], corpus: CorpusWords, isEnglish: boolean): Omit<AskedConcept, 'no'>[] =>
  concepts.map(concept => {
    const { way, others, kind, subjects, words } = concept;
    // A description says what it is about by the names of its subject; its own words may mean anything.
    const ways = (kind === 'sign' && others.length > 0 ? others : [way, ...others]).filter(isIndexed);
    const rarity = corpus.weightOf(ways);
    const isCommon = kind === 'word' || (kind === 'name' && subjects.every(isBroad));
    const least = isCommon ? 0 : minNamedIdf;
    return {
      words,
      kind,
      subjects,
      isTaught: (isEnglish || kind !== 'word') && isTaught(concept),
      isKnown: rarity !== undefined,
      ways: ways.filter(one => corpus.weightOf([one]) !== undefined),
      weight: kindWeights[isCommon ? 'word' : kind] * Math.max(rarity ?? corpus.rarest, least),
    };
  });

/** The words of a question one by one, those of descriptions too: what a paragraph that answers it tells of. */
function detailsOf(concepts: readonly Concept[], corpus: CorpusWords): Detail[] {
  const stems = new Set(concepts.flatMap(({ own }) => own).filter(stem => isIndexed({ stems: [stem], gaps: [] })));
  const weighed = [...stems].flatMap(stem => {
    const weight = corpus.weightOf([{ stems: [stem], gaps: [] }]);
    return weight === undefined ? [] : [{ stem, weight }];
  });
  return weighed.sort((one, other) => other.weight - one.weight).slice(0, maxConcepts);
}
