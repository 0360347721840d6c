import { compileWildcard } from '../wildcard-pattern.ts';

/** Letters of a line; longer ones are left out, as git does. */
const maxLineChars = 2_048;
/** Rules that hold for one path, of all files above it. Each is looked at for each entry; 10,000 take 1 ms. */
const maxRules = 10_000;

/** What attributes say: set, unset, taken back (undefined), or a text. */
export type AttributeValue = boolean | string | undefined;

/** One line of a .gitattributes file that says something that archives go by. */
interface Rule {
  matches(path: string, isFolder: boolean): boolean;
  values: ReadonlyMap<string, AttributeValue>;
}

/** Those that archives go by. */
const archiveAttributes: ReadonlySet<string> = new Set([
  'export-ignore',
  'export-subst',
  'text',
  'crlf',
  'eol',
  'ident',
]);

/** The rules of one file. `folder` is where it stands: empty, or ending in a slash. Paths are bytes as characters (latin1). */
export class AttributeRules {
  readonly #rules: Rule[] = [];
  readonly #above: AttributeRules | undefined;
  /** Rules of this file and of those above it. */
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

  /** What is said of a path. The last line that matches decides, of the nearest file that has one. */
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
  // A pattern that excludes again is not allowed in this file, and one that begins so defines a macro.
  if (pattern.startsWith('!') || pattern.startsWith('[attr]')) return undefined;
  const values = new Map<string, AttributeValue>();
  for (const word of attributes.split(/[ \t]+/)) {
    const [, sign, name = '', , text] = /^([-!]?)([^=]+)(=(.*))?$/.exec(word) ?? [];
    // The one macro that git itself defines; others have no line of their own here.
    if (word === 'binary') values.set('text', false);
    if (archiveAttributes.has(name)) values.set(name, sign === '-' ? false : sign === '!' ? undefined : (text ?? true));
  }
  return values.size === 0 ? undefined : { values, matches: compileMatcher(pattern, folder) };
}

/** Patterns as in .gitignore: without a slash for names at any depth, with one from the folder of the file on. */
function compileMatcher(pattern: string, folder: string): Rule['matches'] {
  const mustBeFolder = pattern.endsWith('/');
  const bare = mustBeFolder ? pattern.slice(0, -1) : pattern;
  const isAnchored = bare.includes('/');
  const matches = compileWildcard(bare.replace(/^\//, ''), { matchesRest: true });
  return (path, isFolder) => {
    if (mustBeFolder && !isFolder) return false;
    if (!path.startsWith(folder)) return false;
    // A set that never ends matches nothing, as in git.
    return matches?.(isAnchored ? path.slice(folder.length) : path.slice(path.lastIndexOf('/') + 1)) === true;
  };
}

function unquote(text: string): string {
  const letters: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
  return text.replace(/\\([0-7]{3}|.)/g, (_, what: string) =>
    what.length === 3 ? String.fromCharCode(Number.parseInt(what, 8)) : (letters[what] ?? what),
  );
}
