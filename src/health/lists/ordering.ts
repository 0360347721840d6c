import { type RawBuilder, sql } from 'kysely';

/** What a list may be ordered by. */
export interface OrderingOptions {
  /** Published name → the column it stands for. */
  names: Readonly<Record<string, string>>;
  /** Column of the primary key. It ends every order, so that no row is on two pages. */
  key: string;
  /** What holds when nothing valid was asked for, in the same grammar. */
  byDefault: string;
}

const fallbackClauses = new WeakMap<OrderingOptions, RawBuilder<unknown>>();

/**
 * `-published_at,headline` → an ORDER BY that is total. Unknown names are dropped, as the published API does;
 * the key comes last and runs the way of the name before it, so that one index serves both directions.
 */
export function orderBy(ordering: string | null | undefined, options: OrderingOptions): RawBuilder<unknown> {
  const terms = ordering ? parseOrdering(ordering, options) : [];
  if (terms.length > 0) return formatOrderBy(terms, options);
  const fallback = fallbackClauses.get(options) ?? formatOrderBy(parseOrdering(options.byDefault, options), options);
  fallbackClauses.set(options, fallback);
  return fallback;
}

function parseOrdering(ordering: string, { names }: OrderingOptions): string[] {
  return ordering
    .split(',')
    .map(name => name.trim())
    .filter(name => Object.hasOwn(names, name.replace(/^-/, '')));
}

function formatOrderBy(terms: string[], { names, key }: OrderingOptions): RawBuilder<unknown> {
  const direction = (name: string): string => (name.startsWith('-') ? 'desc' : 'asc');
  const columns = terms.map(name => `${names[name.replace(/^-/, '')]} ${direction(name)}`);
  // Raw, but nothing of the caller's: every column is one of `names`.
  return sql.raw([...columns, `${key} ${direction(terms.at(-1) ?? '')}`].join(', '));
}
