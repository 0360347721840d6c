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

/** The ordering that a caller asks for, in the syntax of the published API. */
export function requestedOrdering({ ordering, orderBy }: ListFilter): string | null | undefined {
  // A repeated key orders nothing and makes the statement longer.
  return ordering ?? (orderBy && [...new Set(orderBy)].join());
}

const fallbackClauses = new WeakMap<OrderingOptions, RawBuilder<unknown>>();

/**
 * `-published_at,headline` → a total ORDER BY. Unknown names are ignored, as in the published API. The primary key is
 * appended in the direction of the last name, so that one index serves both directions.
 */
export function orderBy(ordering: string | null | undefined, options: OrderingOptions): RawBuilder<unknown> {
  const terms = ordering ? parseOrdering(ordering, options) : [];
  if (terms.length > 0) return formatOrderBy(terms, options);
  const fallback = fallbackClauses.get(options) ?? formatOrderBy(parseOrdering(options.byDefault, options), options);
  fallbackClauses.set(options, fallback);
  return fallback;
}

/** The valid sort keys of an ordering, each with its leading minus. */
export function parseOrdering(ordering: string, { names }: OrderingOptions): string[] {
  return ordering
    .split(',')
    .map(name => name.trim())
    .filter(name => Object.hasOwn(names, name.replace(/^-/, '')));
}

function formatOrderBy(terms: string[], { names, key }: OrderingOptions): RawBuilder<unknown> {
  const direction = (name: string): string => (name.startsWith('-') ? 'desc' : 'asc');
  const columns = terms.map(name => `${names[name.replace(/^-/, '')]} ${direction(name)}`);
  // Raw SQL, but no input of the client: every expression is a constant.
  return sql.raw([...columns, `${key} ${direction(terms.at(-1) ?? '')}`].join(', '));
}
