/**
 * Levels of arrays and objects in a body. A million brackets of a megabyte took 1 s to parse; nothing published has ten levels,
 * and what follows a hundred thousand of them recursively (printing, comparing, storing) overflows the stack.
 */
const maxDepth = 100;
/** Arrays, objects, members and items of a body: 100,000 take 75 ms to parse where each is a key of its own. */
const maxMembers = 100_000;

const quote = 0x22;
const backslash = 0x5c;

/**
 * What makes JSON too complex to be parsed at once; undefined for what is not. Of a text that is no JSON it may say either.
 * The size of a text does not bound the time to parse it. One look at each letter outside of strings takes 2 ms for a megabyte.
 */
export function findJsonExcess(json: string): string | undefined {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfString(json, at);
      if (at < 0) return undefined;
    } else if (code === 0x5b || code === 0x7b) {
      parts++;
      if (++depth > maxDepth) return `The body is nested more than ${maxDepth} levels deep.`;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++parts > maxMembers) return `The body has more than ${maxMembers} members and items.`;
  }
  return undefined;
}

/** Where the string that begins at `start` has its closing quote; negative without one. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end > 0) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
  return end;
}
