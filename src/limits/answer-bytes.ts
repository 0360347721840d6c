/**
 * Bytes of one GraphQL answer. Twice what a document may load of large values: a value may stand in it twice, and 25,000 objects
 * of usual size have less than half of that. The main thread writes it at once: 16 MB take some 80 ms.
 */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** Bytes of a number, a boolean or null with what separates it, about. */
const smallValue = 8;
/** Quotes, a colon or a comma around a text. */
const around = 4;

/**
 * What is left of so many bytes once a value is written as JSON, about: a character counts as one byte and escapes as none.
 * Negative when there were too few, which ends it. Takes half the time of writing.
 */
export function bytesLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - around;
  if (typeof value !== 'object' || value === null) return left - smallValue;
  let rest = left;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at++) rest = bytesLeft(value[at], rest);
    return rest;
  }
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    if (rest < 0) break;
    rest = bytesLeft(fields[name], rest - name.length - around);
  }
  return rest;
}
