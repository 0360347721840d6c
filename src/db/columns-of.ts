import { MetadataStorage } from '@mikro-orm/core';
import { type RawBuilder, sql } from 'kysely';
import { columnName } from '../../schema/vocabulary/column-name.ts';
import { fitsColumnName, type JsonField, jsonExpression, literal } from './json-columns.ts';
import type { Selection } from './selection.ts';

/**
 * How a field is read that is no column of the noun: SQL text; text that depends on the selection below the field; text around
 * one parameter of the request; or a builder for anything else. Texts are part of the cached list, a builder costs some
 * microseconds for each request.
 */
export type ComputedColumn<Request> =
  | string
  | {
      readonly below: (selection: Selection) => string;
      /** The same as JSON for these fields; undefined if it has other ones. Without it lists cannot be read as JSON. */
      readonly json?: (fields: readonly JsonField[]) => string | undefined;
    }
  | { readonly before: string; readonly parameter: (request: Request) => unknown; readonly after: string }
  | ((request: Request) => RawBuilder<unknown>);

/** A column of the noun's table. */
interface OwnColumn {
  text: string;
  hidden: boolean;
  isUuid: boolean;
}

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
  /**
   * The select list whose rows `row_to_json` prints as published; undefined if one of the fields is not made of a column. The list
   * is made once per `fields` object.
   */
  json(fields: readonly JsonField[], request: Request): RawBuilder<unknown> | undefined;
}

/** The text of a list around its values: parameters and builders, in their order. */
interface PreparedList<Request> {
  fragments: string[];
  values: ((request: Request) => unknown)[];
  /** The list itself where no value is in it. */
  fixed: RawBuilder<unknown> | undefined;
}

/**
 * Select lists over a noun's table, which the statement calls `alias` (null: it names no other table): published columns from
 * the ORM's metadata, each under the name of its property. A list is made once per selection object, which is the same for the
 * same document; a list without values of the request costs one look-up in a WeakMap. Compiling 16 builders was a tenth of the
 * CPU time of a request.
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
    ...keyColumns(own),
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
    const list = new ListText<Request>();
    for (const name of new Set([...always, ...names.filter(one => wanted === 'all' || wanted.has(one))])) {
      const column = columnOf(name);
      const isAssociation = typeof column === 'object' && 'below' in column;
      const below = (wanted === 'all' ? undefined : wanted.get(name)) ?? new Map();
      list.append(isAssociation ? column.below(below) : column, ['', ''], name);
    }
    return list.prepared();
  }

  function prepareJson(fields: readonly JsonField[]): PreparedList<Request> | undefined {
    const list = new ListText<Request>();
    for (const field of fields) {
      const column = field.constant === undefined ? selectable.get(field.field) : literal(field.constant);
      const isAssociation = typeof column === 'object' && 'below' in column;
      const text = isAssociation ? field.fields && column.json?.(field.fields) : field.fields ? undefined : column;
      const around = isAssociation ? (['', ''] as const) : jsonExpression(field);
      if (text === undefined || around === undefined || !fitsColumnName(field.key)) return undefined;
      list.append(text, around, field.key);
    }
    return list.prepared();
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
    return bind(prepared, request);
  };
  const jsonLists = new WeakMap<object, PreparedList<Request> | 'none'>();
  const json = (fields: readonly JsonField[], request: Request): RawBuilder<unknown> | undefined => {
    const prepared = jsonLists.get(fields) ?? prepareJson(fields) ?? 'none';
    jsonLists.set(fields, prepared);
    return prepared === 'none' ? undefined : bind(prepared, request);
  };
  return Object.assign(list, { names, json });
}

/** Collects the text of a select list. */
class ListText<Request> {
  readonly #fragments = [''];
  readonly #values: PreparedList<Request>['values'] = [];

  append(
    column: Exclude<ComputedColumn<Request>, { below: unknown }>,
    [before, after]: readonly [string, string],
    name: string,
  ): void {
    if (this.#values.length > 0 || this.#fragments[0] !== '') this.#add(', ');
    this.#add(before);
    if (typeof column === 'string') this.#add(column);
    else if (typeof column === 'function') {
      this.#values.push(column);
      this.#fragments.push('');
    } else {
      this.#add(column.before);
      this.#values.push(column.parameter);
      this.#fragments.push(column.after);
    }
    this.#add(`${after} as "${name}"`);
  }

  prepared(): PreparedList<Request> {
    const fragments = this.#fragments;
    const values = this.#values;
    // Raw SQL, but every text is one of this code.
    return { fragments, values, fixed: values.length === 0 ? sql.raw(fragments.join('')) : undefined };
  }

  #add(text: string): void {
    this.#fragments.push(`${this.#fragments.pop()}${text}`);
  }
}

function bind<Request>({ fixed, fragments, values }: PreparedList<Request>, request: Request): RawBuilder<unknown> {
  // The template tag itself, with fragments that are made once.
  // biome-ignore lint/plugin/spread-arguments: at most one value per column
  return fixed ?? sql(fragments as unknown as TemplateStringsArray, ...values.map(value => value(request)));
}

/**
 * A key that is hidden as a column is the fields of every node: `id`, which the key is encoded from, and the key itself as
 * `databaseId` or `uuid`.
 */
function keyColumns(own: ReadonlyMap<string, OwnColumn>): [string, string][] {
  const key = own.get('id');
  return key?.hidden
    ? [
        ['id', key.text],
        [key.isUuid ? 'uuid' : 'databaseId', key.text],
      ]
    : [];
}

/** What the decorators of columns register. */
interface OwnProperty {
  name: string;
  /** Absent for a column that the ORM names. */
  fieldName?: string;
  hidden?: boolean;
  type: unknown;
}

/** The columns of a noun by property, hidden ones too, as the decorators of `schema/vocabulary/columns.ts` register them. */
function ownColumns(noun: new () => object, alias: string | null): Map<string, OwnColumn> {
  const path = (noun as unknown as Record<symbol, string>)[MetadataStorage.PATH_SYMBOL];
  if (path === undefined) throw new Error(`${noun.name} is no entity.`);
  const { properties } = MetadataStorage.getMetadata(noun.name, path);
  return new Map(
    Object.values(properties).map(({ name, hidden, type, fieldName = columnName(name) }: OwnProperty) => [
      name,
      {
        text: alias === null ? fieldName : `${alias}.${fieldName}`,
        hidden: hidden === true,
        isUuid: String(type) === 'uuid',
      },
    ]),
  );
}
