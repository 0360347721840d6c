import {
  Check as CheckConstraint,
  Index as IndexDefinition,
  Unique as UniqueConstraint,
} from '@mikro-orm/decorators/legacy';
import { columnName } from './column-name.ts';

type ColumnOf<T> = keyof T & string;

/** Column names by property, quoted by nobody: every name is a plain lower-case identifier. */
export type ColumnNames<T> = { readonly [K in ColumnOf<T>]: string };

/** A key of an index: a column, a column in descending order, or an SQL expression over columns. */
export type IndexKey<T> = ColumnOf<T> | `${ColumnOf<T>} desc` | ((columns: ColumnNames<T>) => string);

export interface IndexOptions<T> {
  unique?: true;
  /** Access method; `btree` by default. */
  using?: 'gin' | 'brin';
  /** Further columns, which an index-only scan returns. */
  include?: readonly ColumnOf<T>[];
  /** Predicate of a partial index. */
  where?: (columns: ColumnNames<T>) => string;
  /** Storage parameters, such as `fastupdate = off`. */
  with?: string;
}

type OnClass<T> = (target: new () => T) => void;

const names = new Proxy({}, { get: (_, property) => columnName(String(property)) });

/**
 * Declares an index, or with `unique` a unique index. Property names are checked by the compiler. Written out as SQL, because
 * the options of the ORM know no expression keys and no storage parameters.
 */
export function Index<T>(name: string, keys: readonly IndexKey<T>[], options: IndexOptions<T> = {}): OnClass<T> {
  const columns = names as ColumnNames<T>;
  const list = keys.map(key => {
    if (typeof key === 'function') return key(columns);
    const [property = '', direction] = key.split(' ');
    return direction === undefined ? columnName(property) : `${columnName(property)} ${direction}`;
  });
  const using = options.using === undefined ? '' : ` using ${options.using}`;
  const include = options.include === undefined ? '' : ` include (${options.include.map(columnName).join(', ')})`;
  const parameters = options.with === undefined ? '' : ` with (${options.with})`;
  const where = options.where === undefined ? '' : ` where ${options.where(columns)}`;
  const properties = keys.filter(key => typeof key === 'string').map(key => key.split(' ')[0]);
  return target =>
    IndexDefinition({
      name,
      properties,
      expression: (_: unknown, table: { name: string }) =>
        `create ${options.unique ? 'unique ' : ''}index ${name} on "${table.name}"${using} (${list.join(', ')})${include}${parameters}${where}`,
    } as never)(target as never);
}

/** Declares a unique constraint. */
export function Unique<T>(name: string, properties: readonly ColumnOf<T>[]): OnClass<T> {
  return target => UniqueConstraint({ name, properties } as never)(target as never);
}

/** Declares a check constraint. */
export function Check<T>(name: string, expression: (columns: ColumnNames<T>) => string): OnClass<T> {
  return target => CheckConstraint({ name, expression: expression(names as ColumnNames<T>) } as never)(target as never);
}
