import type { RateLimitState } from './admitted-request.ts';
import type { QueryMeasure } from './query-measure.ts';

/** Cost of one GraphQL operation. */
export interface OperationCost {
  /** Points charged before it runs: the maximum. */
  estimated: number;
  /** Maximum number of objects in the response. */
  nodeCount: number;
  /** State of the primary window that is charged; undefined if there is none. */
  rateLimitState: RateLimitState | undefined;
}

/** Units of database work, each the work of one page, per point. */
export const unitsPerPoint = 100;

/** Converts units of database work to points, at least 1. */
export function pointsFor(units: number): number {
  return Math.max(1, Math.round(units / unitsPerPoint));
}

/** Maximum cost of an operation in points. */
export function estimateOf({ databaseUnits }: Pick<QueryMeasure, 'databaseUnits'>): number {
  return pointsFor(databaseUnits);
}
