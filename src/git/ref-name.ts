/** The maximum length of a file name wherever a repository is cloned to. */
export const maxRefNameBytes = 255;
/** git has no limit. A ref conflicts with the name of each directory above it, and each of them is looked up when it is created. */
const maxRefNameParts = 40;

/**
 * Whether `name` is a valid full ref name (`git check-ref-format`): at least two components, none of which begins with
 * a dot or ends in `.lock`; no `..`, `@{`, control character, space or any of `~^:?*[\`; no slash or dot at an end.
 * Stricter than git: well-formed text of at most `maxRefNameBytes`, and at most 40 components.
 */
export function isRefName(name: string): boolean {
  if (name.length > maxRefNameBytes || !name.isWellFormed() || Buffer.byteLength(name) > maxRefNameBytes) return false;
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\.$/.test(name)) return false;
  const parts = name.split('/');
  if (parts.length < 2 || parts.length > maxRefNameParts) return false;
  return parts.every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/**
 * Whether `name` is a valid short name of a branch. Stricter than for refs: it does not begin with `-`, is not HEAD,
 * and is not 40 hexadecimal digits, which every reader would take for an object id.
 */
export function isBranchName(name: string): boolean {
  return isRefName(`refs/heads/${name}`) && !name.startsWith('-') && name !== 'HEAD' && !/^[0-9a-f]{40}$/i.test(name);
}

/** Whether only the installation itself writes a ref: hosts keep the commits of pull requests below `refs/pull/`. */
export const isHiddenRef = (name: string): boolean => name.startsWith('refs/pull/');

/**
 * The ref names that conflict with this one because it needs them as directories: refs/heads/a for refs/heads/a/b. At most
 * `maxRefNameParts` of a valid name.
 */
export function parentRefNames(name: string): string[] {
  const parents: string[] = [];
  for (let at = name.indexOf('/', name.indexOf('/') + 1); at >= 0; at = name.indexOf('/', at + 1)) {
    parents.push(name.slice(0, at));
  }
  return parents;
}
