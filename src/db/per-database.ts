import type { Read } from './read.ts';

/**
 * Keeps one value, such as a cache, per database that the process has opened, because equal ids in two databases are different
 * rows. All pools and readers of a database share the value. It is created on first use and collected with the database.
 */
export function perDatabase<Value extends object>(create: () => Value): (read: Read) => Value {
  const values = new WeakMap<object, Value>();
  return read => {
    const database = read.database ?? read;
    let value = values.get(database);
    if (!value) {
      value = create();
      values.set(database, value);
    }
    return value;
  };
}
