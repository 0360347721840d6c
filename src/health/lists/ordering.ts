import { type RawBuilder, sql } from 'kysely';

export interface Orderings {
  /** Published name → how the column is written. */
  columns: Readonly<Record<string, string>>;
  /** The primary key, as it is written. */
  key: string;
  /** The order when nothing valid is asked for, as it would be asked for. */
  fallback: string;
}

/**
 * `-created_at,name` → an ORDER BY that is total. Unknown names are dropped, as the published API does; the key comes last
 * and runs the way of the name before it, so that one index serves both directions.
 */
export function orderBy(ordering: string | null | undefined, known: Orderings): RawBuilder<unknown> {
  const names = (text: string): string[] =>
    text
      .split(',')
      .map(name => name.trim())
      .filter(name => Object.hasOwn(known.columns, name.replace(/^-/, '')));
  const asked = names(ordering ?? '');
  const used = asked.length > 0 ? asked : names(known.fallback);
  const direction = (name: string | undefined): string => (name?.startsWith('-') ? 'desc' : 'asc');
  const written = used.map(name => `${known.columns[name.replace(/^-/, '')]} ${direction(name)}`);
  // Raw, but nothing of the caller's: every name is one of `known`.
  return sql.raw([...new Set([...written, `${known.key} ${direction(used.at(-1))}`])].join(', '));
}
