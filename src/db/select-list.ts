import { type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../schema/vocabulary/selection.ts';

/**
 * What the graph calls a column → the SQL it is read by. Texts, because they are the same for every request and a tree of
 * builders is slow to compile; a column that hangs on the caller is a function.
 */
export type SelectList<Surroundings> = Readonly<
  Record<string, string | ((surroundings: Surroundings) => RawBuilder<unknown>)>
>;

const compiledLists = new WeakMap<object, WeakMap<Selection, { fixed: RawBuilder<unknown>; dynamic: string[] }>>();

/**
 * The select list for what is wanted of `columns`; `always` comes along whatever is wanted. Made once for each document
 * and set of columns, apart from what hangs on the caller.
 */
export function buildSelectList<Surroundings>(
  columns: SelectList<Surroundings>,
  alwaysSelected: string,
  selection: Selection,
  context: Surroundings,
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
    // Raw, but nothing of the caller's: every name is one of `columns`.
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
