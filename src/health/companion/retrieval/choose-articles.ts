import type { Concept } from '../../vocabulary/concepts.ts';
import { isBroad, type Way } from '../../vocabulary/vocabulary.ts';

/** A concept of a question. */
export interface AskedConcept {
  no: number;
  words: string;
  kind: Concept['kind'];
  subjects: readonly string[];
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

export interface Asked {
  concepts: readonly AskedConcept[];
  /** The weightiest first. */
  details: readonly Detail[];
  isOfAnimal: boolean;
}

/** What an article has of a question. */
export interface Candidate {
  id: number;
  /** For each concept how well the heading has it: from 1 in the headline to 0. */
  headings: readonly number[];
  paragraphs: readonly {
    text: string;
    /** Concepts that it has. */
    concepts: readonly number[];
    /** Details that it has. */
    details: readonly number[];
  }[];
}

/** Articles that are cited at most. */
const maxArticles = 4;

/** A further article has at least this share of the score of the best one. */
const minShareOfBest = 0.45;

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
 * The articles that answer a question, best first; none if it is about something that none of them tells of. Precision first: an
 * article beside the question is worse than saying that there is none.
 */
export function chooseArticles({ concepts, details, isOfAnimal }: Asked, candidates: readonly Candidate[]): number[] {
  if (isOfAnimal) return [];
  const weightOf = ({ isKnown, weight, kind }: AskedConcept): number =>
    isKnown || kind !== 'word' ? weight : circumstance * weight;
  const total = sumOf(concepts, weightOf);
  const allDetails = sumOf(details, ({ weight }) => weight);
  const isTold = ({ no }: AskedConcept): boolean => candidates.some(one => (one.headings[no] ?? 0) >= aboutIt);
  const foreign = concepts.filter(one => (one.kind === 'kind' || one.kind === 'elsewhere') && !isTold(one));
  const isElsewhere = foreign.some(({ kind }) => kind === 'elsewhere');
  const isBesideUnknown = concepts.some(({ kind, isKnown }) => kind === 'everyday' && !isKnown);
  const scored = candidates.flatMap(({ id, headings, paragraphs }) => {
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
    // A description is no answer to a question about a thing that no article mentions: melatonin beside an antidepressant.
    if (isBesideUnknown && !about.some(isNamed)) return [];
    const needed = neededShare(about);
    const isAnswer =
      (foreign.length === 0 && heading >= needed) ||
      parts.some(
        ({ share, words, tellsOfForeign, coverage }) =>
          tellsOfForeign && ((words > 2 && share >= minDetails) || (coverage >= needed && !isElsewhere)),
      );
    const best = Math.max(0, ...parts.map(({ share }) => share));
    return isAnswer ? [{ id, score: heading + paragraphShare * best }] : [];
  });
  scored.sort((one, other) => other.score - one.score || other.id - one.id);
  const [first] = scored;
  return scored
    .filter(({ score }) => score >= minShareOfBest * (first?.score ?? 0))
    .slice(0, maxArticles)
    .map(({ id }) => id);
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
