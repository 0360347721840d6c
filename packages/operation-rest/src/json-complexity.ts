/**
 * Levels of arrays and objects. Parsing a million brackets in one megabyte took 1 s; no published body has ten levels, and
 * recursive code after the parser (printing, comparing, storing) overflows the stack at a hundred thousand.
 */
export const maxJsonDepth = 100;
/** Arrays, objects, members and items. */
export const maxJsonMembers = 100_000;

const quote = 0x22;
const backslash = 0x5c;

/** The limit that a JSON text exceeds, and its value. */
export interface JsonExcess {
  is: 'depth' | 'members';
  max: number;
}

/**
 * Checks a JSON text before it is parsed, because its size does not bound the time to parse it. Returns undefined for a text
 * within both limits; for a text that is not JSON the result is arbitrary. Scans each character outside strings: 2 ms per megabyte.
 *
 * @param maxCount the limit of members and items
 */
export function findJsonExcess(json: string, maxCount: number = maxJsonMembers): JsonExcess | undefined {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfString(json, at);
      if (at < 0) return undefined;
    } else if (code === 0x5b || code === 0x7b) {
      members++;
      if (++depth > maxJsonDepth) return { is: 'depth', max: maxJsonDepth };
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++members > maxCount) return { is: 'members', max: maxCount };
  }
  return undefined;
}

/** Index of the closing quote of the string that starts at `start`; negative if there is none. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end > 0) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
  return end;
}
