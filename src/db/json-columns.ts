/** A field of the objects of a list, as it is published in JSON. */
export interface JsonField {
  /** Key of the JSON. */
  readonly key: string;
  readonly field: string;
  /** Name of the field's GraphQL type, without its list and non-null wrappers. */
  readonly type: string;
  readonly isList: boolean;
  /** Of an enum: stored value → published value. */
  readonly choices?: ReadonlyMap<unknown, string>;
  /** Of an instant: digits of its fraction of a second, 0 or 6; 6 if undefined. */
  readonly fractionDigits?: number | undefined;
  /** The value is this text, not one of a column: `__typename`. */
  readonly constant?: string;
  /** The column is a key, published as the global id of an object of this type. */
  readonly globalIdOf?: string;
  /** Of an object: its fields. */
  readonly fields?: readonly JsonField[];
}

/** The items of a page as the text of a JSON array, and the number of items of the list. */
export interface JsonItems {
  items: string;
  total: number;
  /** Greatest number of a row, for lists that are anchored by it. */
  newest?: number;
}

/** Scalars whose column is published as PostgreSQL's `to_json` prints it. */
const plainScalars = new Set(['String', 'Int', 'SafeInt', 'Boolean', 'CalendarDate']);
/** Scalars that are strings in JSON whatever their column is. */
const textScalars = new Set(['ID', 'UUID', 'Decimal']);

/**
 * SQL expressions around `column`, before and after it, whose value is published by `to_json` as the field's scalar is serialized.
 * Undefined for a type that is not known here.
 */
export function jsonExpression(field: JsonField): [string, string] | undefined {
  const { type, isList, choices, constant, fractionDigits, globalIdOf } = field;
  if (constant !== undefined) return ['', ''];
  if (globalIdOf !== undefined) {
    // As `encodeGlobalId`; PostgreSQL 18 has no base64url.
    const [before, after] = [`encode(convert_to('${globalIdOf}:' || `, `, 'UTF8'), 'base64')`];
    return [`translate(${before}`, `${after}, '+/=', '-_')`];
  }
  if (isList) return type === 'String' ? ['', ''] : undefined;
  if (plainScalars.has(type)) return ['', ''];
  if (textScalars.has(type)) return ['(', ')::text'];
  // A whole number has a point, `1.0`; numeric, because PostgreSQL writes a double with an exponent from 1e15 on.
  if (type === 'Float') return ['regexp_replace((', `)::text::numeric::text, '^(-?\\d+)$', '\\1.0')::numeric`];
  if (type === 'DateTime') {
    // The session's time zone is UTC: `2026-02-14 09:30:00+00`.
    if (fractionDigits !== 0) return ['to_char(', `, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`];
    return [`overlay(replace(date_trunc('second', `, `)::text, '+00', 'Z') placing 'T' from 11 for 1)`];
  }
  if (choices === undefined) return undefined;
  const changed = [...choices].filter(([stored, published]) => stored !== published);
  if (changed.length === 0) return ['', ''];
  const cases = [...choices].map(([stored, published]) => `when ${literal(String(stored))} then ${literal(published)}`);
  return ['case ', ` ${cases.join(' ')} end`];
}

/** PostgreSQL truncates names of columns to 63 bytes. Names of GraphQL are ASCII. */
export const fitsColumnName = (key: string): boolean => key.length <= 63;

/** SQL: the JSON array of the rows of `item`, without white space, in their order. */
export const itemsAsJson = "coalesce(array_to_json(array_agg(row_to_json(item))), '[]')";

/** A text of this code as SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * A subquery for the JSON array of an association: `columns` (field → SQL) of the rows of `from`, which is the rest of the statement
 * from FROM on. Undefined if `fields` has a field without a column.
 */
export function jsonArray(
  fields: readonly JsonField[],
  columns: Readonly<Record<string, string>>,
  from: string,
): string | undefined {
  const list: string[] = [];
  for (const field of fields) {
    const own = Object.hasOwn(columns, field.field) ? columns[field.field] : undefined;
    const column = field.constant === undefined ? own : literal(field.constant);
    const around = jsonExpression(field);
    if (column === undefined || around === undefined || field.fields || !fitsColumnName(field.key)) return undefined;
    list.push(`${around[0]}${column}${around[1]} as "${field.key}"`);
  }
  return `(select ${itemsAsJson} from (select ${list.join(', ')} ${from}) item)`;
}
