import { MetadataStorage } from '@mikro-orm/core';
import { type RawBuilder, sql } from 'kysely';
import { columnName } from '../../schema/vocabulary/column-name.ts';
import type { Selection } from '../../schema/vocabulary/selection.ts';

/**
 * How a field is read that is no column of the noun: SQL text; text that depends on what is selected below the field; or a
 * builder for what depends on the request. Texts are preferred, because they are part of the cached list.
 */
export type ComputedColumn<Request> =
  | string
  | { readonly below: (selection: Selection) => string }
  | ((request: Request) => RawBuilder<unknown>);

interface SelectListOptions<T, Request> {
  /** Fields that every row carries, selected or not: columns, hidden ones too, and computed ones. */
  always?: readonly string[];
  /** Fields that are no column, or are read in another way. Raw SQL of this code, never of a caller. */
  computed?: Readonly<Record<string, ComputedColumn<Request>>>;
  /** Published columns that these rows never carry. */
  except?: readonly (keyof T & string)[];
}

export interface SelectList<Request> {
  /** The select list for what a caller selects, or for all published columns and computed fields. */
  (wanted: Selection | 'all', request: Request): RawBuilder<unknown>;
  /** The fields that a selection adds to those that every row carries. */
  readonly names: readonly string[];
}

interface PreparedList<Request> {
  /** What is the same for every request. */
  fixed: RawBuilder<unknown>[];
  perRequest: [name: string, column: (request: Request) => RawBuilder<unknown>][];
}

/**
 * Select lists over a noun's table, which the statement calls `alias` (null: it names no other table): published columns from the ORM's metadata, each under
 * the name of its property. A list is made once for each selection object, and that is the same for the same document, so
 * that a list without per-request columns costs one look-up in a WeakMap. Compiling 16 builders was a tenth of a request.
 * @throws Error when `always` names neither a column nor a computed field: at import, before any caller.
 */
export function columnsOf<T extends object, Request = void>(
  noun: new () => T,
  alias: string | null,
  { always = [], computed = {}, except = [] }: SelectListOptions<T, Request> = {},
): SelectList<Request> {
  const own = ownColumns(noun, alias);
  const published = [...own].filter(([name, { hidden }]) => !hidden && !except.some(one => one === name));
  const selectable: ReadonlyMap<string, ComputedColumn<Request>> = new Map([
    ...published.map(([name, { text }]) => [name, text] as const),
    ...Object.entries(computed),
  ]);
  const names = [...selectable.keys()].filter(name => !always.includes(name));
  const columnOf = (name: string): ComputedColumn<Request> => {
    const column = selectable.get(name) ?? own.get(name)?.text;
    if (column === undefined) throw new Error(`${noun.name} has no column ${name}, and none is computed.`);
    return column;
  };
  for (const name of always) columnOf(name);

  function prepare(wanted: Selection | 'all'): PreparedList<Request> {
    const texts: string[] = [];
    const perRequest: PreparedList<Request>['perRequest'] = [];
    for (const name of new Set([...always, ...names.filter(one => wanted === 'all' || wanted.has(one))])) {
      const column = columnOf(name);
      if (typeof column === 'function') perRequest.push([name, column]);
      else {
        const below = (wanted === 'all' ? undefined : wanted.get(name)) ?? new Map();
        texts.push(`${typeof column === 'string' ? column : column.below(below)} as "${name}"`);
      }
    }
    return { fixed: texts.length === 0 ? [] : [sql.raw(texts.join(', '))], perRequest };
  }

  const lists = new WeakMap<object, PreparedList<Request>>();
  const all = {};
  const list = (wanted: Selection | 'all', request: Request): RawBuilder<unknown> => {
    const key = wanted === 'all' ? all : wanted;
    let prepared = lists.get(key);
    if (prepared === undefined) {
      prepared = prepare(wanted);
      lists.set(key, prepared);
    }
    const { fixed, perRequest } = prepared;
    if (perRequest.length === 0 && fixed[0] !== undefined) return fixed[0];
    return sql.join([...fixed, ...perRequest.map(([name, column]) => sql`${column(request)} as ${sql.ref(name)}`)]);
  };
  return Object.assign(list, { names });
}

/** The columns of a noun by property, hidden ones too, as the decorators of `schema/vocabulary/columns.ts` register them. */
function ownColumns(noun: new () => object, alias: string | null): Map<string, { text: string; hidden: boolean }> {
  const path = (noun as unknown as Record<symbol, string>)[MetadataStorage.PATH_SYMBOL];
  if (path === undefined) throw new Error(`${noun.name} is no entity.`);
  const { properties } = MetadataStorage.getMetadata(noun.name, path);
  return new Map(
    Object.values(properties).map(({ name, hidden }) => [
      name,
      { text: alias === null ? columnName(name) : `${alias}.${columnName(name)}`, hidden: hidden === true },
    ]),
  );
}
