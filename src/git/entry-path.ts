import { GitError } from './git-error.ts';

/** Bytes of a whole path: what a program on Linux can open. */
const maxPathBytes = 4095;

/** Characters that the file system of macOS leaves out when it compares names. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Splits a path of a file into its parts, or says why no tree may have it. Refused are an empty path or part, `.`, `..`, NUL,
 * and whatever some machine that checks it out would take for the folder `.git`: other case, characters that macOS does not
 * see, `git~1` and trailing dots, blanks or streams on Windows, where a backslash parts names too.
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

/** Whether this name is one that git reads settings from and refuses as a symbolic link. */
export function isGitFile(name: string): boolean {
  return /^\.git(modules|attributes|ignore)$/i.test(name.replace(ignoredByHfs, '')) || /^\.gitmodules[. :]/i.test(name);
}
