import { compileWildcard } from '../wildcard-pattern.ts';

/** Maximum characters per line; longer lines are ignored, as in git. */
const maxLineChars = 2_048;
/** Maximum rules that apply to one path, in all files above it. Each is evaluated for each entry; 10,000 take 1 ms. */
const maxRules = 10_000;

/** The value of an attribute: set, unset, unspecified (undefined) or a string. */
export type AttributeValue = boolean | string | undefined;

/** A line of a .gitattributes file that affects archives. */
interface Rule {
  matches(path: string, isFolder: boolean): boolean;
  values: ReadonlyMap<string, AttributeValue>;
}

/** The attributes that affect archives. */
const archiveAttributes: ReadonlySet<string> = new Set([
  'export-ignore',
  'export-subst',
  'text',
  'crlf',
  'eol',
  'ident',
]);

/**
 * The rules of one .gitattributes file. `folder` is its directory: empty, or ending in a slash. Paths are bytes as
 * latin1 characters.
 */
export class AttributeRules {
  readonly #rules: Rule[] = [];
  readonly #above: AttributeRules | undefined;
  /** Number of rules of this file and of those above it. */
  readonly count: number;

  constructor(content: string, folder: string, above?: AttributeRules) {
    this.#above = above;
    const room = maxRules - (above?.count ?? 0);
    for (const line of content.split('\n')) {
      if (line.length > maxLineChars || this.#rules.length >= room) continue;
      const rule = parseRule(line.replace(/\r$/, ''), folder);
      if (rule) this.#rules.push(rule);
    }
    this.#rules.reverse();
    this.count = this.#rules.length + (above?.count ?? 0);
  }

  /** The value of an attribute for a path: the last matching line of the nearest file that has one. */
  find(name: string, path: string, isFolder: boolean): AttributeValue {
    const rule = this.#rules.find(one => one.values.has(name) && one.matches(path, isFolder));
    return rule ? rule.values.get(name) : this.#above?.find(name, path, isFolder);
  }
}

function parseRule(line: string, folder: string): Rule | undefined {
  const found = /^[ \t]*("(?:[^"\\]|\\.)*"|[^ \t#"][^ \t]*)[ \t]+(.*)$/.exec(line);
  if (!found) return undefined;
  const [, shown = '', attributes = ''] = found;
  const pattern = shown.startsWith('"') ? unquote(shown.slice(1, -1)) : shown;
  // git allows no negated patterns in .gitattributes; `[attr]` defines a macro.
  if (pattern.startsWith('!') || pattern.startsWith('[attr]')) return undefined;
  const values = new Map<string, AttributeValue>();
  for (const word of attributes.split(/[ \t]+/)) {
    const [, sign, name = '', , text] = /^([-!]?)([^=]+)(=(.*))?$/.exec(word) ?? [];
    // The macro that git predefines. Macros defined in .gitattributes are not supported.
    if (word === 'binary') values.set('text', false);
    if (archiveAttributes.has(name)) values.set(name, sign === '-' ? false : sign === '!' ? undefined : (text ?? true));
  }
  return values.size === 0 ? undefined : { values, matches: compileMatcher(pattern, folder) };
}

/**
 * Patterns as in .gitignore: without a slash they match names at any depth, with a slash they are relative to the
 * directory of the file.
 */
function compileMatcher(pattern: string, folder: string): Rule['matches'] {
  const mustBeFolder = pattern.endsWith('/');
  const bare = mustBeFolder ? pattern.slice(0, -1) : pattern;
  const isAnchored = bare.includes('/');
  const matches = compileWildcard(bare.replace(/^\//, ''), { matchesRest: true });
  return (path, isFolder) => {
    if (mustBeFolder && !isFolder) return false;
    if (!path.startsWith(folder)) return false;
    // A malformed pattern matches nothing, as in git.
    return matches?.(isAnchored ? path.slice(folder.length) : path.slice(path.lastIndexOf('/') + 1)) === true;
  };
}

function unquote(text: string): string {
  const letters: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
  return text.replace(/\\([0-7]{3}|.)/g, (_, what: string) =>
    what.length === 3 ? String.fromCharCode(Number.parseInt(what, 8)) : (letters[what] ?? what),
  );
}
