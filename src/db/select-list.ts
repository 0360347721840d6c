import { type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../schema/vocabulary/selection.ts';

/**
 * What the graph calls a column → the SQL it is read by. Texts, because they are the same for every request and a tree of
 * builders is slow to compile; a column that hangs on the caller is a function.
 */
export type Columns<Surroundings> = Readonly<
  Record<string, string | ((surroundings: Surroundings) => RawBuilder<unknown>)>
>;

const known = new WeakMap<object, WeakMap<Selection, { fixed: RawBuilder<unknown>; moving: string[] }>>();

/**
 * The select list for what is wanted of `columns`; `always` comes along whatever is wanted. Made once for each document
 * and set of columns, apart from what hangs on the caller.
 */
export function selectList<Surroundings>(
  columns: Columns<Surroundings>,
  always: string,
  wanted: Selection,
  surroundings: Surroundings,
): RawBuilder<unknown> {
  const ofColumns = known.get(columns) ?? new WeakMap();
  known.set(columns, ofColumns);
  let list = ofColumns.get(wanted);
  if (!list) {
    const names = [...wanted.keys()].filter(name => Object.hasOwn(columns, name));
    const fixed = names.flatMap(name => {
      const column = columns[name];
      return typeof column === 'string' ? [`${column} as "${name}"`] : [];
    });
    // Raw, but nothing of the caller's: every name is one of `columns`.
    list = {
      fixed: sql.raw([always, ...fixed].join(', ')),
      moving: names.filter(name => typeof columns[name] === 'function'),
    };
    ofColumns.set(wanted, list);
  }
  const moving = list.moving.map((name: string) => {
    const column = columns[name];
    return typeof column === 'function' ? sql`${column(surroundings)} as ${sql.ref(name)}` : sql``;
  });
  return moving.length === 0 ? list.fixed : sql.join([list.fixed, ...moving], sql`, `);
}
