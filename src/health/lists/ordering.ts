import { type RawBuilder, sql } from 'kysely';

/** How a list may be ordered: published name → column. `key` makes each order total. */
export interface Orderings {
  columns: Readonly<Record<string, string>>;
  key: string;
  fallback: string;
}

/**
 * `-created_at,severity` → an ORDER BY that is total. Unknown names are dropped, as the published API does; when none is left,
 * or none was given, `fallback` holds. The key comes last and runs the way of the name before it.
 */
export function orderBy(
  ordering: string | null | undefined,
  { columns, key, fallback }: Orderings,
): RawBuilder<unknown> {
  const asked = (ordering ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => Object.hasOwn(columns, name.replace(/^-/, '')));
  if (asked.length === 0) return sql.raw(fallback);
  // Raw, but nothing of the caller's: every name is one of `columns`.
  const named = asked.map(name => (name.startsWith('-') ? `${columns[name.slice(1)]} desc` : `${columns[name]} asc`));
  return sql.raw([...named, `${key} ${asked.at(-1)?.startsWith('-') ? 'desc' : 'asc'}`].join(', '));
}
