import type { Read } from './read.ts';

/**
 * Keeps one value for each database that the process has opened, made when it is first asked for: in another one the same ids
 * are other things. It goes with the database.
 */
export function perDatabase<Value extends object>(make: () => Value): (read: Read) => Value {
  const made = new WeakMap<Read, Value>();
  return read => {
    let value = made.get(read);
    if (!value) {
      value = make();
      made.set(read, value);
    }
    return value;
  };
}
