import { GitError } from './git-error.ts';

/** Bytes of a whole path: PATH_MAX of Linux without the final NUL. */
export const maxPathBytes = 4095;

/** Bytes of one part: NAME_MAX of every common file system. A longer one cannot be checked out. */
const maxPartBytes = 255;

/** Characters that HFS+ ignores when it compares names. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Splits the path of a file into its parts. Refuses an empty path or part, `.`, `..`, NUL, and every name that a file
 * system could treat as `.git`: other case, characters that HFS+ ignores, and on Windows `git~1`, trailing dots or
 * spaces, alternate data streams and backslashes as separators.
 * @throws GitError `bad-path`
 */
export function splitPath(path: string): string[] {
  const badPath = (reason: string): GitError => new GitError('bad-path', path, `«${path}» is no path: ${reason}.`);
  if (!path.isWellFormed()) throw badPath('it is no text');
  if (path.startsWith('/')) throw badPath('it starts with a slash');
  if (path.includes('\0')) throw badPath('it has a NUL');
  if (Buffer.byteLength(path) > maxPathBytes) throw badPath(`it has more than ${maxPathBytes} bytes`);
  const parts = path.split('/');
  for (const part of parts) {
    if (part === '') throw badPath('a part of it is empty');
    for (const piece of part.split('\\')) {
      if (piece === '.' || piece === '..' || isGitFolder(piece)) throw badPath(`«${part}» is no name of a file`);
    }
  }
  return parts;
}

/**
 * Refuses a path that no file system can hold. Apart from `splitPath`, because what was pushed can still be deleted.
 * @throws GitError `bad-path`
 */
export function assertCreatable(path: string, parts: readonly string[]): void {
  if (parts.every(part => Buffer.byteLength(part) <= maxPartBytes)) return;
  throw new GitError('bad-path', path, `«${path}» is no path: a part of it has more than ${maxPartBytes} bytes.`);
}

/**
 * Refuses a target that no symbolic link can have: operating systems read it as a C string of less than PATH_MAX bytes.
 * @throws GitError `bad-text`
 */
export function assertLinkTarget(path: string, target: Buffer): void {
  if (target.length > 0 && target.length <= maxPathBytes && !target.includes(0)) return;
  const rule = `is empty, has more than ${maxPathBytes} bytes or has a NUL character.`;
  throw new GitError('bad-text', path, `The target of the symbolic link «${path}» ${rule}`);
}

function isGitFolder(name: string): boolean {
  return /^(\.git|git~1)[. ]*(:|$)/i.test(name) || name.replace(ignoredByHfs, '').toLowerCase() === '.git';
}

/** Whether git reads configuration from a file of this name and therefore refuses it as a symbolic link. */
export function isGitFile(name: string): boolean {
  return /^\.git(modules|attributes|ignore)$/i.test(name.replace(ignoredByHfs, '')) || /^\.gitmodules[. :]/i.test(name);
}
