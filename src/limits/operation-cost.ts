import type { RateLimitState } from './admitted-request.ts';
import type { QueryMeasure } from './query-measure.ts';

/** What one GraphQL operation costs. */
export interface OperationCost {
  /** Points that were set aside before it ran. */
  estimated: number;
  /** Objects that its answer can hold at most. */
  nodeCount: number;
  /** Of the window it counts in; undefined where it counts in none. */
  standing: RateLimitState | undefined;
}

/** Units of database work, each that of one page, for one point. */
const unitsPerPoint = 100;

/** Points for so many units of database work. */
export function pointsFor(units: number): number {
  return Math.max(1, Math.round(units / unitsPerPoint));
}

/** What an operation costs at most. */
export function estimateOf({ databaseUnits }: Pick<QueryMeasure, 'databaseUnits'>): number {
  return pointsFor(databaseUnits);
}
