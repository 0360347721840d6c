import { GitError } from './git-error.ts';

/** Bytes of a whole path: PATH_MAX of Linux without the final NUL. */
const maxPathBytes = 4095;

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

function isGitFolder(name: string): boolean {
  return /^(\.git|git~1)[. ]*(:|$)/i.test(name) || name.replace(ignoredByHfs, '').toLowerCase() === '.git';
}

/** Whether git reads configuration from a file of this name and therefore refuses it as a symbolic link. */
export function isGitFile(name: string): boolean {
  return /^\.git(modules|attributes|ignore)$/i.test(name.replace(ignoredByHfs, '')) || /^\.gitmodules[. :]/i.test(name);
}
