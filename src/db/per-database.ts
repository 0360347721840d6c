import type { Read } from './read.ts';

/**
 * Keeps one value, such as a cache, per database that the process has opened, because equal ids in two databases are different
 * rows. All pools and readers of a database share the value. It is created on first use and collected with the database.
 */
export function perDatabase<Value extends object>(create: () => Value): (read: Read) => Value {
  return perIdentity(create, read => read.database ?? read);
}

/**
 * As `perDatabase`, and one value for each replica: what was read on the primary may refer to rows that a replica does not have yet.
 */
export function perServer<Value extends object>(create: () => Value): (read: Read) => Value {
  return perIdentity(create, read => read.replica ?? read.database ?? read);
}

function perIdentity<Value extends object>(
  create: () => Value,
  identityOf: (read: Read) => object,
): (read: Read) => Value {
  const values = new WeakMap<object, Value>();
  return read => {
    const database = identityOf(read);
    let value = values.get(database);
    if (!value) {
      value = create();
      values.set(database, value);
    }
    return value;
  };
}
