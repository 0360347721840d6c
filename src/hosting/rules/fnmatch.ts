import { RE2JS } from 're2js';

/**
 * Whether texts match a pattern of fnmatch with FNM_PATHNAME, the whole of them: `*` and `?` do not cross a slash, `[a-z]` and
 * `[!a-z]` are sets, a backslash takes what follows as it is, and a segment that is two stars stands for any number of
 * folders, none included. Undefined for a pattern that is none: a set that never ends.
 *
 * Files that begin with a dot are matched like others: what a rule protects is not to be got around by a hidden folder.
 * Patterns become expressions of RE2, which take linear time. Matchers that make expressions of JavaScript took minutes for
 * a dozen stars and a name of sixty letters.
 */
export function fnmatch(
  pattern: string,
  options: { ignoreCase?: boolean } = {},
): ((text: string) => boolean) | undefined {
  const source = sourceOf(pattern);
  if (source === undefined) return undefined;
  const flags = RE2JS.DOTALL | (options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const compiled = RE2JS.compile(source, flags);
  return text => compiled.testExact(text);
}

function sourceOf(pattern: string): string | undefined {
  const letters = [...pattern];
  let source = '';
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    if (letter === '*') {
      const begins = at === 0 || letters[at - 1] === '/';
      let end = at;
      while (letters[end] === '*') end++;
      if (begins && end - at === 2 && letters[end] === '/') {
        source += '(?:[^/]+/)*';
        at = end;
      } else {
        source += '[^/]*';
        at = end - 1;
      }
    } else if (letter === '?') source += '[^/]';
    else if (letter === '[') {
      const set = setAt(letters, at);
      if (!set) return undefined;
      source += set.source;
      at = set.end;
    } else if (letter === '\\' && at + 1 < letters.length) source += RE2JS.quote(letters[++at] as string);
    else source += RE2JS.quote(letter);
  }
  return source;
}

/** The set that begins at `start`, and where its last bracket is. A bracket right at its beginning is a member. */
function setAt(letters: readonly string[], start: number): { source: string; end: number } | undefined {
  let at = start + 1;
  const isNegated = letters[at] === '!' || letters[at] === '^';
  if (isNegated) at++;
  const ranges: [number, number][] = [];
  for (let isFirst = true; at < letters.length; isFirst = false) {
    if (letters[at] === ']' && !isFirst) return { source: sourceOfSet(ranges, isNegated), end: at };
    const from = memberAt();
    let to = from;
    if (letters[at] === '-' && at + 1 < letters.length && letters[at + 1] !== ']') {
      at++;
      to = memberAt();
    }
    ranges.push([from, to]);
  }
  return undefined;

  function memberAt(): number {
    if (letters[at] === '\\' && at + 1 < letters.length) at++;
    return letters[at++]?.codePointAt(0) ?? 0;
  }
}

const slash = 0x2f;

/** No set holds a slash, nor does what a set leaves out. A range that is turned around holds nothing. */
function sourceOfSet(ranges: readonly [number, number][], isNegated: boolean): string {
  const members = ranges
    .flatMap(([from, to]): [number, number][] =>
      from <= slash && slash <= to
        ? [
            [from, slash - 1],
            [slash + 1, to],
          ]
        : [[from, to]],
    )
    .filter(([from, to]) => from <= to)
    .map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`);
  if (isNegated) return `[^/${members.join('')}]`;
  return members.length === 0 ? '[^\\x{0}-\\x{10FFFF}]' : `[${members.join('')}]`;
}
