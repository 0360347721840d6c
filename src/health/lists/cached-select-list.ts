import { type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../../schema/vocabulary/selection.ts';

/**
 * Makes the select list for what a caller wants, once for each document. `columns`: what the graph calls a column → how it is
 * read; `key` is always read.
 */
export function cachedSelectList(
  key: string,
  columns: Readonly<Record<string, string>>,
): (wanted: Selection) => RawBuilder<unknown> {
  const lists = new WeakMap<Selection, RawBuilder<unknown>>();
  return wanted => {
    const cached = lists.get(wanted);
    if (cached) return cached;
    const items = Object.entries(columns).flatMap(([name, column]) =>
      wanted.has(name) ? [`${column} as "${name}"`] : [],
    );
    // Raw, but nothing of the caller's: names and texts are those above.
    const list = sql.raw([key, ...items].join(', '));
    lists.set(wanted, list);
    return list;
  };
}
