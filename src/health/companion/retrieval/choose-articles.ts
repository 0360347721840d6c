import type { Concept } from '../../vocabulary/concepts.ts';
import { isBroad, type Way } from '../../vocabulary/vocabulary.ts';
import type { SubjectGuess } from './subject-model.ts';

/** A concept of a question. */
export interface AskedConcept {
  no: number;
  words: string;
  kind: Concept['kind'];
  subjects: readonly string[];
  /** Whether the model of subjects can know it. */
  isTaught: boolean;
  /** Whether any article has it. */
  isKnown: boolean;
  /** The ways to say it that articles have. */
  ways: readonly Way[];
  weight: number;
}

/** A word of a question that articles have. */
export interface Detail {
  stem: string;
  weight: number;
}

/** A subject that a question sounds like, numbered after its concepts. */
type GuessedSubject = Pick<AskedConcept, 'no' | 'ways' | 'weight'>;

export interface Asked {
  concepts: readonly AskedConcept[];
  guesses: readonly GuessedSubject[];
  guess: SubjectGuess;
  /** The weightiest first. */
  details: readonly Detail[];
  isOfAnimal: boolean;
}

/** What an article has of a question. */
export interface Candidate {
  id: number;
  /** The probability that the question is about its subject. */
  likeness: number;
  /** For each concept and guess how well the heading has it: from 1 in the headline to 0. */
  headings: readonly number[];
  paragraphs: readonly {
    text: string;
    /** Concepts that it has. */
    concepts: readonly number[];
    /** Details that it has. */
    details: readonly number[];
  }[];
}

/** Articles that are read at most. */
const maxArticles = 4;

/** A further article has at least this share of the score of the best one; a model reads it. */
const minShareOfBest = 0.45;

/** One that is quoted without a model: with the share above, twelve of 26 answers cited an article beside the question. */
const minShareOfQuoted = 0.75;

/** What a concept has at least for being what an article is about: it stands in headline, tags or categories. */
const aboutIt = 0.9;

/** What a concept is worth in the paragraph of an article that has it not in the heading. */
const inText = 0.4;

/** What a word that no article has weighs: questions tell of circumstances that articles do not name. */
const circumstance = 0.25;

/** What the best paragraph of an article counts beside its heading. */
const paragraphShare = 0.5;

/** Share of the weight of a question that an article needs: with a named subject in its headline or tags, and without. */
const minCoverage = { named: 0.32, described: 0.28, words: 0.6 } as const;

/** Share of the words of a question that a paragraph needs which answers it although the article is about something else. */
const minDetails = 0.6;

/**
 * What counts beside the likeness of an article, which is at most 1: that it has enough of the question, that it does so by a named
 * subject, and how much it has. Chosen on questions that the model was not trained on; values near these are as good.
 */
const counts = { answer: 0.2, named: 0.2, coverage: 0.05 } as const;

/**
 * What the sum must reach: this, a share of the probability that the question is about nothing that the model knows, and more for an
 * article that has not enough of a question which names a thing that no article tells of.
 */
const bar = { least: 0.2, none: 0.45, foreign: 0.2 } as const;

/**
 * How much an article has that is cited whatever the model says: «how to treat a burn» names its subject and nothing else. Among several
 * the likeness counts as well: of two articles on blood pressure the one on sleep came first for «measure it at home».
 */
const enough = 1.1;

/**
 * The articles that answer a question, best first; none if it is about something that none of them tells of. Precision first: an
 * article beside the question is worse than saying that there is none.
 */
export function chooseArticles(asked: Asked, candidates: readonly Candidate[]): Choice[] {
  const { coverageOf, namesForeign } = coverageBy(asked, candidates);
  const scored = candidates.map(candidate => scoreOf(candidate, coverageOf(candidate)));
  scored.sort((one, other) => other.score - one.score || other.id - one.id);
  const [first] = scored;
  if (first === undefined) return [];
  const needed = bar.least + bar.none * asked.guess.none + (namesForeign && !first.isAnswer ? bar.foreign : 0);
  if (first.score < needed) return [];
  const most = scored.reduce((best, { coverage }) => Math.max(best, coverage), 0);
  return scored
    .filter(
      ({ score, isAnswer, coverage }) =>
        score >= minShareOfBest * first.score || (isAnswer && coverage >= minShareOfBest * most),
    )
    .slice(0, maxArticles)
    .map(({ id, score, isAnswer, coverage }) => ({
      id,
      isQuoted:
        id === first.id || (isAnswer && score >= minShareOfQuoted * first.score && coverage >= minShareOfQuoted * most),
    }));
}

/** An article that was chosen, and whether it answers well enough to be quoted. */
interface Choice {
  id: number;
  isQuoted: boolean;
}

interface Scored extends Coverage {
  id: number;
  score: number;
}

function scoreOf({ id, likeness, headings }: Candidate, covered: Coverage): Scored {
  const { isAnswer, coverage, about } = covered;
  const isByName = about.some(({ kind, subjects }) => kind === 'name' && !subjects.every(isBroad));
  // What the model was not taught is found by its words alone: another library has other subjects.
  const isBeyond = about.some(({ no, isTaught }) => !isTaught && (headings[no] ?? 0) >= 1);
  if (isAnswer && (isBeyond || (isByName && coverage >= enough)))
    return { ...covered, id, score: 2 + coverage + likeness };
  const answer = isAnswer ? counts.answer + (isByName ? counts.named : 0) : 0;
  return { ...covered, id, score: likeness + answer + counts.coverage * Math.min(1, coverage) };
}

interface Coverage {
  /** Whether it has enough of the question by its words. */
  isAnswer: boolean;
  /** How much of it. */
  coverage: number;
  /** The concepts that it is about. */
  about: AskedConcept[];
}

/** How much articles have of a question. */
function coverageBy(
  { concepts, details }: Asked,
  candidates: readonly Candidate[],
): { coverageOf: (one: Candidate) => Coverage; namesForeign: boolean } {
  const weightOf = ({ isKnown, weight, kind }: AskedConcept): number =>
    isKnown || kind !== 'word' ? weight : circumstance * weight;
  const total = sumOf(concepts, weightOf);
  const allDetails = sumOf(details, ({ weight }) => weight);
  const isTold = ({ no }: AskedConcept): boolean => candidates.some(one => (one.headings[no] ?? 0) >= aboutIt);
  const foreign = concepts.filter(one => (one.kind === 'kind' || one.kind === 'elsewhere') && !isTold(one));
  const isElsewhere = foreign.some(({ kind }) => kind === 'elsewhere');
  const isBesideUnknown = concepts.some(({ kind, isKnown }) => kind === 'everyday' && !isKnown);
  const coverageOf = ({ headings, paragraphs }: Candidate): Coverage => {
    const parts = paragraphs.map(part => ({
      share: sumOf(part.details, no => details[no]?.weight ?? 0) / (allDetails || 1),
      words: part.details.length,
      tellsOfForeign: foreign.every(({ no }) => part.concepts.includes(no)),
      coverage:
        sumOf(concepts, one => {
          const inHeading = headings[one.no] ?? 0;
          return weightOf(one) * (part.concepts.includes(one.no) ? Math.max(inHeading, inText) : inHeading);
        }) / total,
    }));
    const heading = sumOf(concepts, one => weightOf(one) * (headings[one.no] ?? 0)) / total;
    const about = concepts.filter(({ no }) => (headings[no] ?? 0) >= aboutIt);
    const needed = neededShare(about);
    const isAnswer =
      (foreign.length === 0 && heading >= needed) ||
      parts.some(
        ({ share, words, tellsOfForeign, coverage }) =>
          tellsOfForeign && ((words > 2 && share >= minDetails) || (coverage >= needed && !isElsewhere)),
      );
    const best = parts.reduce((most, { share }) => Math.max(most, share), 0);
    return {
      // A description is no answer to a question about a thing that no article mentions: melatonin beside an antidepressant.
      isAnswer: isAnswer && (!isBesideUnknown || about.some(isNamed)),
      coverage: heading + paragraphShare * best,
      about,
    };
  };
  return { coverageOf, namesForeign: foreign.length > 0 || isBesideUnknown };
}

const sumOf = <One>(all: readonly One[], value: (one: One) => number): number =>
  all.reduce((sum, one) => sum + value(one), 0);

const isNamed = ({ kind, subjects }: AskedConcept): boolean =>
  kind === 'kind' || kind === 'everyday' || (kind === 'name' && !subjects.every(isBroad));

/** The share that an article needs which is about these concepts; more than all for none. */
function neededShare(about: readonly AskedConcept[]): number {
  if (about.some(isNamed)) return minCoverage.named;
  if (about.some(({ kind }) => kind === 'sign')) return minCoverage.described;
  return about.length > 0 ? minCoverage.words : 2;
}
