import type { Concept } from '../../vocabulary/concepts.ts';
import { isBroad } from '../../vocabulary/vocabulary.ts';

/** A concept of a question. */
export interface AskedConcept {
  no: number;
  words: string;
  kind: Concept['kind'];
  subjects: readonly string[];
  /** Whether any article has it. */
  isKnown: boolean;
  /** The stems that say it and that articles have. */
  ways: readonly (readonly string[])[];
  weight: number;
}

export interface Asked {
  concepts: readonly AskedConcept[];
  isOfAnimal: boolean;
}

/** How well an article has a concept: from 1 in the headline to 0. */
export interface Match {
  articleId: number;
  concept: number;
  value: number;
}

/** Articles that are cited at most. */
const maxArticles = 4;

/** A further article has at least this share of the score of the best one. */
const minShareOfBest = 0.45;

/** What a concept has at least for being what an article is about: it stands in headline, tags or categories. */
const aboutIt = 0.9;

/** What a word that no article has weighs: questions tell of circumstances that articles do not name. */
const circumstance = 0.25;

/** Kinds whose names are everyday words as well: they say what a question is about only where nothing else does. */
const everydayKinds = new Set([
  'animals',
  'everyday',
  'surgery',
  'vitamins',
  'diets',
  'mental',
  'wound',
  'bites',
  'swelling',
  'genetics',
]);

/** Share of the weight of a question that an article needs: with a named subject in its headline or tags, and without. */
const minCoverage = { named: 0.32, described: 0.28, words: 0.6 } as const;

/**
 * The articles that answer a question, best first; none if it is about something that none of them tells of. Precision first: an
 * article beside the question is worse than saying that there is none.
 */
export function chooseArticles({ concepts, isOfAnimal }: Asked, matches: readonly Match[]): number[] {
  if (isOfAnimal) return [];
  const values = new Map<number, Map<number, number>>();
  for (const { articleId, concept, value } of matches) {
    const own = values.get(articleId) ?? new Map<number, number>();
    own.set(concept, value);
    values.set(articleId, own);
  }
  const valueIn = (article: number, { no }: AskedConcept): number => values.get(article)?.get(no) ?? 0;
  const isTold = (concept: AskedConcept): boolean => [...values.keys()].some(one => valueIn(one, concept) >= aboutIt);
  const foreign = concepts.filter(concept => concept.kind === 'kind' && !isTold(concept));
  if (foreign.some(({ subjects }) => !subjects.every(one => everydayKinds.has(one)))) return [];
  const weightOf = ({ isKnown, weight, kind }: AskedConcept): number =>
    isKnown || kind === 'kind' ? weight : circumstance * weight;
  const total = concepts.reduce((sum, concept) => sum + weightOf(concept), 0);
  const scored = [...values.keys()]
    .map(id => ({ id, score: concepts.reduce((sum, concept) => sum + weightOf(concept) * valueIn(id, concept), 0) }))
    .filter(({ id, score }) => score >= neededShare(concepts.filter(one => valueIn(id, one) >= aboutIt)) * total)
    .sort((one, other) => other.score - one.score || other.id - one.id);
  const [best] = scored;
  if (!best) return [];
  return scored
    .filter(({ score }) => score >= minShareOfBest * best.score)
    .slice(0, maxArticles)
    .map(({ id }) => id);
}

/** The share that an article needs which is about these concepts; more than all for none. */
function neededShare(about: readonly AskedConcept[]): number {
  if (about.some(({ kind, subjects }) => kind === 'kind' || (kind === 'name' && !subjects.every(isBroad))))
    return minCoverage.named;
  if (about.some(({ kind }) => kind === 'sign')) return minCoverage.described;
  return about.length > 0 ? minCoverage.words : 2;
}
