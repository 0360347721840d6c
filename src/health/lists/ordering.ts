import { type RawBuilder, sql } from 'kysely';
import type { ListFilter } from './list-filter.ts';

/** Sort orders of a list. */
export interface OrderingOptions {
  /** Published name → SQL expression. */
  names: Readonly<Record<string, string>>;
  /** Primary key column. Always the last sort key, so that pages do not overlap. */
  key: string;
  /** Ordering used when no valid one is given, in the same syntax. */
  byDefault: string;
}

/** The ordering that a caller asks for, in the syntax of `orderBy`. */
export function requestedOrdering({ orderBy }: ListFilter): string | null | undefined {
  // A repeated key orders nothing and makes the statement longer.
  return orderBy && [...new Set(orderBy)].join();
}

/** An ORDER BY. `reversed` reads the list from its end. */
export type ListOrder = RawBuilder<unknown> & { readonly reversed: RawBuilder<unknown> };

const fallbackClauses = new WeakMap<OrderingOptions, ListOrder>();

/**
 * `-published_at,headline` → a total ORDER BY. Unknown names are ignored, as in the published API. The primary key is
 * appended in the direction of the last name, so that one index serves both directions.
 */
export function orderBy(ordering: string | null | undefined, options: OrderingOptions): ListOrder {
  const terms = ordering ? parseOrdering(ordering, options) : [];
  if (terms.length > 0) return formatOrderBy(terms, options);
  const fallback = fallbackClauses.get(options) ?? formatOrderBy(parseOrdering(options.byDefault, options), options);
  fallbackClauses.set(options, fallback);
  return fallback;
}

/** The sort keys of an ordering that a list knows, or those of its default. */
export function sortKeysOf(ordering: string | null | undefined, options: OrderingOptions): string[] {
  const terms = ordering ? parseOrdering(ordering, options) : [];
  return terms.length > 0 ? terms : parseOrdering(options.byDefault, options);
}

/** The valid sort keys of an ordering, each with its leading minus. */
export function parseOrdering(ordering: string, { names }: OrderingOptions): string[] {
  return ordering
    .split(',')
    .map(name => name.trim())
    .filter(name => Object.hasOwn(names, name.replace(/^-/, '')));
}

function formatOrderBy(terms: string[], { names, key }: OrderingOptions): ListOrder {
  const columns = [...terms.map(name => [names[name.replace(/^-/, '')], name.startsWith('-')] as const)];
  columns.push([key, terms.at(-1)?.startsWith('-') === true]);
  // Raw SQL, but no input of the client: every expression is a constant.
  const clause = (isReversed: boolean): RawBuilder<unknown> =>
    sql.raw(columns.map(([column, isDown]) => `${column} ${isDown === isReversed ? 'asc' : 'desc'}`).join(', '));
  return Object.assign(clause(false), { reversed: clause(true) });
}
