import type { Read } from '../../../db/read.ts';
import { isIndexed } from '../../articles/way-queries.ts';
import { type Concept, conceptsOf, isQuestionWord } from '../../vocabulary/concepts.ts';
import { type CorpusWords, readWords } from '../../vocabulary/corpus-words.ts';
import { englishStem } from '../../vocabulary/english-stem.ts';
import { isBroad, type Way, wordsOf } from '../../vocabulary/vocabulary.ts';
import type { Asked, AskedConcept, Detail } from './choose-articles.ts';

/** Concepts of a question, the rarest first: each costs a look-up in every block of the index. */
const maxConcepts = 16;

/** What a concept is worth, over a plain word: the vocabulary has what questions are about. */
const kindWeights = { name: 1.7, sign: 1.3, kind: 1.6, elsewhere: 1.6, everyday: 1, word: 0.6 } as const;

/** The least rarity of what the vocabulary names: many articles mention alcohol, and a question about it is about nothing else. */
const minNamedIdf = 1.6;

/** An animal of the person who asks, which does something: «my cat won’t eat», but not «I walk my dog». */
const ailingAnimal =
  /\b(?:(?:my|our|his|her|the|a)\s+)?(?:old\s+|little\s+)?(?:dog|cat|puppy|kitten|rabbit|hamster|horse|pony|parrot|budgie|tortoise|guinea pig|goldfish|hen|cow)(?:['’]?s)?\s+(?:has|had|have|is|was|keeps?|won['’]?t|will|can['’]?t|does|did|got|ate|eats|started|seems|drinks|drank|limps?|coughs?|vomits?|scratch\w*|licks?|sneezes?|shakes?|sleeps?|nose|ear|paw|teeth|coat|skin|eyes?)\b/i;

/** Without the words of the question itself, also where there are no others. */
const subjectsOf = (words: readonly string[]): Concept[] =>
  conceptsOf(words).filter(({ kind, words: said }) => kind !== 'word' || !isQuestionWord(said));

/** The concepts of a question with their rarity among the articles. */
export async function readQuestion(read: Read, question: string): Promise<Asked> {
  const words = wordsOf(question);
  const first = subjectsOf(words);
  const stemsOf = (concepts: typeof first): string[] =>
    concepts.flatMap(({ own, way, others }) => [...own, ...way.stems, ...others.flatMap(({ stems }) => stems)]);
  let corpus = await readWords(
    read,
    stemsOf(first),
    first.flatMap(({ kind, words: said }) => (kind === 'word' ? [said] : [])),
    words,
  );
  let concepts = first;
  if (corpus.corrections.size > 0) {
    concepts = subjectsOf(words.map(word => corpus.corrections.get(englishStem(word)) ?? word));
    corpus = await readWords(read, stemsOf(concepts), []);
  }
  const isMentioned = (way: Way): boolean => corpus.weightOf([way]) !== undefined;
  const weighed = concepts.map(({ way, others, kind, subjects, words: said }): Omit<AskedConcept, 'no'> => {
    // A description says what it is about by the names of its subject; its own words may mean anything.
    const ways = (kind === 'sign' && others.length > 0 ? others : [way, ...others]).filter(isIndexed);
    const rarity = corpus.weightOf(ways);
    const known = ways.filter(isMentioned);
    const isCommon = kind === 'word' || (kind === 'name' && subjects.every(isBroad));
    const least = isCommon ? 0 : minNamedIdf;
    return {
      words: said,
      kind,
      subjects,
      isKnown: rarity !== undefined,
      ways: known,
      weight: kindWeights[isCommon ? 'word' : kind] * Math.max(rarity ?? corpus.rarest, least),
    };
  });
  const rarest = weighed
    .toSorted((one, other) => Number(other.isKnown) - Number(one.isKnown) || other.weight - one.weight)
    .slice(0, maxConcepts);
  return {
    concepts: rarest.map((concept, no) => ({ ...concept, no })),
    details: detailsOf(concepts, corpus),
    isOfAnimal: ailingAnimal.test(question),
  };
}

/** The words of a question one by one, those of descriptions too: what a paragraph that answers it tells of. */
function detailsOf(concepts: readonly Concept[], corpus: CorpusWords): Detail[] {
  const stems = new Set(concepts.flatMap(({ own }) => own).filter(stem => isIndexed({ stems: [stem], gaps: [] })));
  const weighed = [...stems].flatMap(stem => {
    const weight = corpus.weightOf([{ stems: [stem], gaps: [] }]);
    return weight === undefined ? [] : [{ stem, weight }];
  });
  return weighed.sort((one, other) => other.weight - one.weight).slice(0, maxConcepts);
}
