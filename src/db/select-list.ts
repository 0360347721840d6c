import { type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../schema/vocabulary/selection.ts';

/**
 * GraphQL name of a column → its SQL expression. Texts, because they are equal for every request and a tree of builders is slow to
 * compile; a column that depends on the caller is a function.
 */
export type SelectList<Context> = Readonly<Record<string, string | ((context: Context) => RawBuilder<unknown>)>>;

const compiledLists = new WeakMap<object, WeakMap<Selection, { fixed: RawBuilder<unknown>; dynamic: string[] }>>();

/**
 * Builds the select list of the selected columns, after `alwaysSelected`. Cached per document and set of columns, except for the
 * columns that depend on the caller.
 */
export function buildSelectList<Context>(
  columns: SelectList<Context>,
  alwaysSelected: string,
  selection: Selection,
  context: Context,
): RawBuilder<unknown> {
  const listsBySelection = compiledLists.get(columns) ?? new WeakMap();
  compiledLists.set(columns, listsBySelection);
  let list = listsBySelection.get(selection);
  if (!list) {
    const names = [...selection.keys()].filter(name => Object.hasOwn(columns, name));
    const fixed = names.flatMap(name => {
      const column = columns[name];
      return typeof column === 'string' ? [`${column} as "${name}"`] : [];
    });
    // sql.raw is safe: every name is a key of `columns`.
    list = {
      fixed: sql.raw([alwaysSelected, ...fixed].join(', ')),
      dynamic: names.filter(name => typeof columns[name] === 'function'),
    };
    listsBySelection.set(selection, list);
  }
  const dynamic = list.dynamic.map((name: string) => {
    const column = columns[name];
    return typeof column === 'function' ? sql`${column(context)} as ${sql.ref(name)}` : sql``;
  });
  return dynamic.length === 0 ? list.fixed : sql.join([list.fixed, ...dynamic], sql`, `);
}
