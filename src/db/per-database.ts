import type { Read } from './read.ts';

/**
 * Keeps one value for each database that the process has opened, made when it is first asked for: in another one the same ids
 * are other things. All pools of a database share it, and the readers of its requests. It goes with the database.
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
