/**
 * Whether git takes `name` for the full name of a ref (`git check-ref-format`): at least two parts, none of which begins with
 * a dot or ends in `.lock`; no `..`, `@{`, control character, blank or any of `~^:?*[\`; no slash or dot at an end.
 * Beyond git's own rules: well-formed text of at most 255 bytes, which is what a file name can hold wherever it is cloned to.
 */
export function isRefName(name: string): boolean {
  if (!name.isWellFormed() || Buffer.byteLength(name) > 255) return false;
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\.$/.test(name)) return false;
  const parts = name.split('/');
  return parts.length >= 2 && parts.every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/**
 * Whether a branch may have this short name. Beyond the rules of refs: it does not begin with a minus, is not HEAD, and is no
 * 40 hexadecimal digits, which everybody would read as an id.
 */
export function isBranchName(name: string): boolean {
  return isRefName(`refs/heads/${name}`) && !name.startsWith('-') && name !== 'HEAD' && !/^[0-9a-f]{40}$/i.test(name);
}

/** The names that a ref of this name would have to be a folder of: refs/heads/a for refs/heads/a/b. */
export function parentRefNames(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1, -1).map((_, at) => parts.slice(0, at + 2).join('/'));
}
