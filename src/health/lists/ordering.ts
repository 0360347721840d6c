import { type RawBuilder, sql } from 'kysely';

/**
 * `-published_at,headline` → an ORDER BY that is total. Unknown names are dropped, as the published API does; `key` comes
 * last and runs the way of the name before it, so that one index serves both directions. Empty values come last.
 * `columns`: published name → column; `otherwise`: the order where nothing valid is asked for, in the same grammar.
 */
export function orderBy(
  ordering: string | null | undefined,
  columns: Readonly<Record<string, string>>,
  otherwise: string,
  key: string,
): RawBuilder<unknown> {
  const valid = (text: string): string[] =>
    text
      .split(',')
      .map(name => name.trim())
      .filter(name => Object.hasOwn(columns, name.replace(/^-/, '')));
  const asked = valid(ordering ?? '');
  const names = asked.length > 0 ? asked : valid(otherwise);
  const named = names.map(name => (name.startsWith('-') ? `${columns[name.slice(1)]} desc` : `${columns[name]} asc`));
  // Raw, but nothing of the caller's: every column is one of `columns`.
  return sql.raw([...named, names.at(-1)?.startsWith('-') ? `${key} desc` : `${key} asc`].join(', '));
}
