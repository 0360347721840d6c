import type { WorkBudget } from '../../workers/work-budget.ts';
import { compileWildcard, hasWildcards } from '../wildcard-pattern.ts';

/** Lines of this many characters and more are ignored, as in git (`ATTR_MAX_LINE_LENGTH`). */
const maxLineChars = 2_048;

/** The value of an attribute: set, unset, unspecified (undefined) or a string. */
export type AttributeValue = boolean | string | undefined;

/** An attribute that affects archives. */
export type AttributeName = 'export-ignore' | 'export-subst' | 'text' | 'crlf' | 'eol' | 'ident';

/** A line of a .gitattributes file that affects archives. */
export interface AttributeRule {
  pattern: PathPattern;
  values: ReadonlyMap<AttributeName, AttributeValue>;
}

/** The attributes that affect archives. */
const archiveAttributes: ReadonlySet<string> = new Set<AttributeName>([
  'export-ignore',
  'export-subst',
  'text',
  'crlf',
  'eol',
  'ident',
]);

/** Parses a .gitattributes file. Text is bytes as latin1 characters. The last line comes first, because it takes precedence. */
export async function parseAttributes(content: string, budget: WorkBudget): Promise<AttributeRule[]> {
  const rules: AttributeRule[] = [];
  for (let at = 0; at < content.length; ) {
    const next = content.indexOf('\n', at);
    const end = next < 0 ? content.length : next;
    budget.spendSteps(1 + ((end - at) >> 3));
    if (budget.isTurnDue) await budget.turn();
    const rule = end - at < maxLineChars ? parseRule(content.slice(at, end).replace(/\r$/, '')) : undefined;
    if (rule) rules.push(rule);
    at = end + 1;
  }
  return rules.reverse();
}

/** The rules of the .gitattributes file of a directory, and of those above it. Paths are bytes as latin1 characters. */
export class AttributeRules {
  readonly #rules: readonly AttributeRule[];
  readonly #folder: string;
  readonly #above: AttributeRules | undefined;

  /** `folder` is the directory of the file: empty, or ending in a slash. */
  constructor(rules: readonly AttributeRule[], folder: string, above?: AttributeRules) {
    this.#rules = rules;
    this.#folder = folder;
    this.#above = above;
  }

  /**
   * The values of attributes for a path below the directory: of each the last matching line of the nearest file that has one. A line
   * is compared once for all attributes. Every rule may be compared with every path, and each costs what its author likes, so steps
   * are spent and turns taken between the rules of one path.
   */
  async find(
    names: readonly AttributeName[],
    path: string,
    { isFolder, budget }: { isFolder: boolean; budget: WorkBudget },
  ): Promise<ReadonlyMap<AttributeName, AttributeValue>> {
    const found = new Map<AttributeName, AttributeValue>();
    const name = path.slice(path.lastIndexOf('/') + 1);
    for (let file: AttributeRules | undefined = this; file; file = file.#above) {
      const relative = path.slice(file.#folder.length);
      for (const { pattern, values } of file.#rules) {
        const isWanted = names.some(one => values.has(one) && !found.has(one));
        budget.spendSteps(isWanted ? pattern.stepsFor(relative, name) : 1);
        if (budget.isTurnDue) await budget.turn();
        if (!isWanted || !pattern.matches(relative, name, isFolder)) continue;
        for (const one of names) if (values.has(one) && !found.has(one)) found.set(one, values.get(one));
        if (found.size === names.length) return found;
      }
    }
    return found;
  }
}

export function parseRule(line: string): AttributeRule | undefined {
  const start = skipBlanks(line, 0);
  const end = endOfPattern(line, start);
  // Without an attribute, or a comment.
  if (end === undefined || !isBlank(line, end) || line[start] === '#') return undefined;
  const shown = line.slice(start, end);
  const attributes = line.slice(skipBlanks(line, end));
  const pattern = shown.startsWith('"') ? unquote(shown.slice(1, -1)) : shown;
  // git allows no negated patterns in .gitattributes; `[attr]` defines a macro.
  if (pattern.startsWith('!') || pattern.startsWith('[attr]')) return undefined;
  const values = new Map<AttributeName, AttributeValue>();
  for (const word of attributes.split(/[ \t\r]+/)) {
    const [, sign, name = '', , text] = /^([-!]?)([^=]+)(=(.*))?$/.exec(word) ?? [];
    // The macro that git predefines. Macros defined in .gitattributes are not supported.
    if (word === 'binary') values.set('text', false);
    if (isArchiveAttribute(name)) values.set(name, sign === '-' ? false : sign === '!' ? undefined : (text ?? true));
  }
  return values.size === 0 ? undefined : { values, pattern: new PathPattern(pattern) };
}

function isArchiveAttribute(name: string): name is AttributeName {
  return archiveAttributes.has(name);
}

/** A line that ends in CR LF is split at its LF. */
const isBlank = (line: string, at: number): boolean => line[at] === ' ' || line[at] === '\t' || line[at] === '\r';

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (isBlank(line, at)) at++;
  return at;
}

/** Index after the pattern, which may be quoted; undefined for a quoted one without an end. */
function endOfPattern(line: string, start: number): number | undefined {
  let at = start;
  if (line[start] !== '"') {
    while (at < line.length && !isBlank(line, at)) at++;
    return at;
  }
  for (at++; at < line.length; at++) {
    if (line[at] === '"') return at + 1;
    if (line[at] === '\\') at++;
  }
  return undefined;
}

/**
 * A pattern as in .gitignore: without a slash it matches names at any depth, with a slash paths that are relative to the directory of
 * the file.
 */
class PathPattern {
  readonly #isForFolders: boolean;
  readonly #isAnchored: boolean;
  readonly #chars: number;
  /** The part before the first wildcard: a text that does not start with it takes one comparison. */
  readonly #head: string;
  /** Undefined for a malformed pattern, which matches nothing, as in git. */
  readonly #matches: ((text: string) => boolean) | undefined;

  constructor(pattern: string) {
    this.#isForFolders = pattern.endsWith('/');
    const bare = this.#isForFolders ? pattern.slice(0, -1) : pattern;
    this.#isAnchored = bare.includes('/');
    const compiled = bare.replace(/^\//, '');
    this.#chars = compiled.length;
    this.#head = hasWildcards(compiled) ? compiled.slice(0, compiled.search(/[*?[\\]/)) : compiled;
    this.#matches = compileWildcard(compiled, { matchesRest: true });
  }

  /** `relative`: the path relative to the directory of the file; `name`: its last part. */
  matches(relative: string, name: string, isFolder: boolean): boolean {
    if (this.#isForFolders && !isFolder) return false;
    return this.#matches?.(this.#isAnchored ? relative : name) === true;
  }

  /** Upper bound of the work of `matches`. A pattern of 2,000 characters and a name of 250 take up to 1.5 ms, 8,000 steps. */
  stepsFor(relative: string, name: string): number {
    const text = this.#isAnchored ? relative : name;
    if (this.#head.length === this.#chars || !text.startsWith(this.#head)) return 1;
    return 1 + Math.ceil((this.#chars * text.length) / 64);
  }
}

function unquote(text: string): string {
  const letters: ReadonlyMap<string, string> = new Map([
    ['n', '\n'],
    ['t', '\t'],
    ['r', '\r'],
    ['a', '\x07'],
    ['b', '\b'],
    ['f', '\f'],
    ['v', '\v'],
  ]);
  return text.replace(/\\([0-7]{3}|.)/g, (_, what: string) =>
    what.length === 3 ? String.fromCharCode(Number.parseInt(what, 8)) : (letters.get(what) ?? what),
  );
}
