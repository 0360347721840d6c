import type { Read } from '../../../db/read.ts';
import { type Concept, conceptsOf, isQuestionWord } from '../../vocabulary/concepts.ts';
import { readWords } from '../../vocabulary/corpus-words.ts';
import { englishStem } from '../../vocabulary/english-stem.ts';
import { wordsOf } from '../../vocabulary/vocabulary.ts';
import type { Asked, AskedConcept } from './choose-articles.ts';

/** Concepts of a question, the rarest first: each costs a look-up in every block of the index. */
const maxConcepts = 16;

/** What a concept is worth, over a plain word: the vocabulary has what questions are about. */
const kindWeights = { name: 1.6, sign: 1.4, kind: 1.6, word: 0.6 } as const;

/** The least rarity of what the vocabulary names: many articles mention alcohol, and a question about it is about nothing else. */
const minNamedIdf = 1.6;

/** An animal of the person who asks, which does something: «my cat won’t eat», but not «I walk my dog». */
const ailingAnimal =
  /\b(?:my|our|his|her|the|a)\s+(?:old\s+|little\s+)?(?:dog|cat|puppy|kitten|rabbit|hamster|horse|pony|parrot|budgie|tortoise|guinea pig|goldfish|hen|cow)(?:['’]?s)?\s+(?:has|had|have|is|was|keeps?|won['’]?t|will|can['’]?t|does|did|got|ate|eats|started|seems|drinks|drank|limps?|coughs?|vomits?|scratch\w*|licks?|sneezes?|shakes?|sleeps?|nose|ear|paw|teeth|coat|skin|eyes?)\b/i;

/** Without the words of the question itself, also where there are no others. */
const subjectsOf = (words: readonly string[]): Concept[] =>
  conceptsOf(words).filter(({ kind, words: said }) => kind !== 'word' || !isQuestionWord(said));

/** The concepts of a question with their rarity among the articles. */
export async function readQuestion(read: Read, question: string): Promise<Asked> {
  const words = wordsOf(question);
  const first = subjectsOf(words);
  const stemsOf = (concepts: typeof first): string[] =>
    concepts.flatMap(({ own, others }) => [...own, ...others.flat()]);
  let corpus = await readWords(
    read,
    stemsOf(first),
    first.flatMap(({ own }) => own),
  );
  let concepts = first;
  if (corpus.corrections.size > 0) {
    concepts = subjectsOf(words.map(word => corpus.corrections.get(englishStem(word)) ?? word));
    corpus = await readWords(read, stemsOf(concepts), []);
  }
  const weighed = concepts.map(({ own, others, kind, subjects, words: said }, no): AskedConcept => {
    // A description says what it is about by the names of its subject; its own words may mean anything.
    const ways = (kind === 'sign' ? others : [own, ...others]).filter(stems =>
      stems.every(stem => /^[a-z0-9]{2,24}$/.test(stem)),
    );
    const idf = corpus.weightOf(ways);
    const known = ways.filter(stems => corpus.weightOf([stems]) !== undefined);
    return {
      no,
      words: said,
      kind,
      subjects,
      isKnown: idf !== undefined,
      ways: known,
      weight: kindWeights[kind] * Math.max(idf ?? corpus.rarest, kind === 'word' ? 0 : minNamedIdf),
    };
  });
  const rare = weighed.toSorted(
    (one, other) => Number(other.isKnown) - Number(one.isKnown) || other.weight - one.weight,
  );
  return { concepts: rare.slice(0, maxConcepts), isOfAnimal: ailingAnimal.test(question) };
}
