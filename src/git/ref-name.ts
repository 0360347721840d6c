/**
 * Whether `name` is a valid full ref name (`git check-ref-format`): at least two components, none of which begins with
 * a dot or ends in `.lock`; no `..`, `@{`, control character, space or any of `~^:?*[\`; no slash or dot at an end.
 * Stricter than git: well-formed text of at most 255 bytes, the maximum length of a file name wherever the repository
 * is cloned to.
 */
export function isRefName(name: string): boolean {
  if (!name.isWellFormed() || Buffer.byteLength(name) > 255) return false;
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\.$/.test(name)) return false;
  const parts = name.split('/');
  return parts.length >= 2 && parts.every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/**
 * Whether `name` is a valid short name of a branch. Stricter than for refs: it does not begin with `-`, is not HEAD,
 * and is not 40 hexadecimal digits, which every reader would take for an object id.
 */
export function isBranchName(name: string): boolean {
  return isRefName(`refs/heads/${name}`) && !name.startsWith('-') && name !== 'HEAD' && !/^[0-9a-f]{40}$/i.test(name);
}

/** The ref names that conflict with this one because it needs them as directories: refs/heads/a for refs/heads/a/b. */
export function parentRefNames(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1, -1).map((_, at) => parts.slice(0, at + 2).join('/'));
}
