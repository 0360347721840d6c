/** A set of characters, `[a-z]`: ranges of code points, both ends included. */
interface CharacterSet {
  ranges: readonly (readonly [number, number])[];
  isNegated: boolean;
}

/** `?` and `*` */
const anyCharacter = -1;
const anyRun = -2;

/** A code point, `anyCharacter`, `anyRun` or a set. */
type Token = number | CharacterSet;

/** The text between two slashes; `anyFolders` is a segment of two stars before others, `anyRest` one at the end. */
type Segment = readonly Token[] | 'anyFolders' | 'anyRest';

export interface WildcardOptions {
  /** Whether capitals make no difference. */
  ignoreCase?: boolean;
  /** Whether a last segment of two stars is everything below, as in .gitattributes; otherwise it is one star. */
  matchesRest?: boolean;
}

const slash = 0x2f;

/**
 * Whether texts match a pattern with wildcards as fnmatch reads it with FNM_PATHNAME, the whole of them: `*` and `?` do not cross a slash, `[a-z]` and
 * `[!a-z]` are sets, a backslash takes what follows as it is, and a segment that is two stars stands for any number of
 * folders, none included. Undefined for a pattern that is none: a set that never ends.
 *
 * Files that begin with a dot are matched like others: what a rule protects is not to be got around by a hidden folder.
 *
 * Own code, because nothing else is bounded: matchers that make expressions of JavaScript took minutes for a dozen stars and a
 * name of sixty letters, and an expression of RE2 takes up to 1 ms to compile, for each of some hundred patterns of a push.
 * Here a match takes at most |pattern| × |text| steps of 3 ns, and reading a pattern takes |pattern| steps.
 */
export function compileWildcard(
  pattern: string,
  { ignoreCase = false, matchesRest = false }: WildcardOptions = {},
): ((text: string) => boolean) | undefined {
  if (!ignoreCase && !hasWildcards(pattern)) return text => text === pattern;
  const segments = parseSegments(pattern, { ignoreCase, matchesRest });
  if (!segments) return undefined;
  // Most texts differ in the part before the first wildcard, which is compared 50 times as fast.
  const head = ignoreCase ? '' : pattern.slice(0, pattern.search(wildcard));
  return text => text.startsWith(head) && matchesSegments(segments, splitSegments(text, ignoreCase), ignoreCase);
}

/** Whether a pattern is more than a text that has to be the same. */
export function hasWildcards(pattern: string): boolean {
  return wildcard.test(pattern);
}

const wildcard = /[*?[\\]/;

function parseSegments(pattern: string, { ignoreCase, matchesRest }: Required<WildcardOptions>): Segment[] | undefined {
  const letters = [...pattern];
  const segments: Segment[] = [];
  let tokens: Token[] = [];
  const endSegment = (): void => {
    segments.push(tokens);
    tokens = [];
  };
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    if (letter === '*') {
      const begins = at === 0 || letters[at - 1] === '/';
      const from = at;
      while (letters[at + 1] === '*') at++;
      if (begins && at === from + 1 && letters[at + 1] === '/') {
        segments.push('anyFolders');
        at++;
      } else if (begins && matchesRest && at === from + 1 && at === letters.length - 1) {
        segments.push('anyRest');
        return segments;
      } else tokens.push(anyRun);
    } else if (letter === '?') tokens.push(anyCharacter);
    else if (letter === '[') {
      const set = parseCharacterSet(letters, at);
      if (!set) return undefined;
      tokens.push(set.set);
      at = set.end;
    } else {
      if (letter === '\\' && at + 1 < letters.length) at++;
      const code = (letters[at] as string).codePointAt(0) ?? 0;
      if (code === slash) endSegment();
      else tokens.push(ignoreCase ? foldCase(code) : code);
    }
  }
  endSegment();
  return segments;
}

/** The set that begins at `start`, and where its last bracket is. A bracket right at its beginning is a member. */
function parseCharacterSet(letters: readonly string[], start: number): { set: CharacterSet; end: number } | undefined {
  let at = start + 1;
  const isNegated = letters[at] === '!' || letters[at] === '^';
  if (isNegated) at++;
  const ranges: [number, number][] = [];
  for (let isFirst = true; at < letters.length; isFirst = false) {
    // No set holds a slash, nor does what a set leaves out: segments have none. A range that is turned around holds nothing.
    if (letters[at] === ']' && !isFirst) return { set: { ranges, isNegated }, end: at };
    const from = readMember();
    let to = from;
    if (letters[at] === '-' && at + 1 < letters.length && letters[at + 1] !== ']') {
      at++;
      to = readMember();
    }
    ranges.push([from, to]);
  }
  return undefined;

  function readMember(): number {
    if (letters[at] === '\\' && at + 1 < letters.length) at++;
    return letters[at++]?.codePointAt(0) ?? 0;
  }
}

function splitSegments(text: string, ignoreCase: boolean): number[][] {
  const folders: number[][] = [[]];
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (code === slash) folders.push([]);
    else folders.at(-1)?.push(ignoreCase ? foldCase(code) : code);
  }
  return folders;
}

/** Follows all ways through the segments at once, so that no folder is compared with a segment twice. */
function matchesSegments(segments: readonly Segment[], folders: readonly number[][], ignoreCase: boolean): boolean {
  let reached = withEmptyFolders(segments, new Set([0]));
  for (const folder of folders) {
    const next = new Set<number>();
    for (const at of reached) {
      const segment = segments[at];
      if (segment === undefined) continue;
      if (segment === 'anyFolders') {
        if (folder.length > 0) next.add(at);
      } else if (segment === 'anyRest') {
        next.add(at).add(at + 1);
      } else if (matchesSegment(segment, folder, ignoreCase)) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reached = withEmptyFolders(segments, next);
  }
  return reached.has(segments.length);
}

/** Any number of folders may be none. */
function withEmptyFolders(segments: readonly Segment[], reached: Set<number>): Set<number> {
  for (const at of reached) if (segments[at] === 'anyFolders') reached.add(at + 1);
  return reached;
}

/** A run that turns out too short grows by one; only the last run that was met has to be tried again. */
function matchesSegment(tokens: readonly Token[], letters: readonly number[], ignoreCase: boolean): boolean {
  let token = 0;
  let letter = 0;
  let run = -1;
  let runEnd = 0;
  while (letter < letters.length) {
    const one = tokens[token];
    if (one === anyRun) {
      run = token++;
      runEnd = letter;
    } else if (one !== undefined && matchesToken(one, letters[letter] as number, ignoreCase)) {
      token++;
      letter++;
    } else if (run >= 0) {
      token = run + 1;
      letter = ++runEnd;
    } else return false;
  }
  while (tokens[token] === anyRun) token++;
  return token === tokens.length;
}

function matchesToken(token: Token, code: number, ignoreCase: boolean): boolean {
  if (typeof token === 'number') return token === code || token === anyCharacter;
  const variants = ignoreCase ? [code, mapCodePoint(code, 'toUpperCase')] : [code];
  const isMember = token.ranges.some(([from, to]) => variants.some(one => from <= one && one <= to));
  return isMember !== token.isNegated;
}

/** One code point for all that differ by capitals alone. */
function foldCase(code: number): number {
  return mapCodePoint(mapCodePoint(code, 'toUpperCase'), 'toLowerCase');
}

/** What becomes of one character, unless that is several. */
function mapCodePoint(code: number, change: 'toUpperCase' | 'toLowerCase'): number {
  const [letter = '', ...others] = String.fromCodePoint(code)[change]();
  return others.length > 0 ? code : (letter.codePointAt(0) ?? code);
}
