import { formatBinaryPatch } from '../../git/binary-patch.ts';
import { gitProblems } from '../git-problems.ts';
import type { FileChange } from './read-changes.ts';

/** The changes as `git diff` prints them, without the contents of binary files. They must have been read as a whole. */
export function formatDiff(files: readonly FileChange[]): string {
  return files
    .map(file => {
      const { old, current } = fileNames(file);
      return formatFile(file, file.binary && `Binary files ${old} and ${current} differ`);
    })
    .join('');
}

/**
 * The changes as `git diff --binary` prints them, so that they can be applied. They must have been read as a whole.
 * @throws 406 for a large binary file
 */
export async function formatBinaryDiff(files: readonly FileChange[]): Promise<string> {
  const parts: string[] = [];
  for (const file of files) {
    const { binary } = file;
    if (binary === 'too-large') throw gitProblems.diffTooLarge();
    parts.push(formatFile(file, binary && (await formatBinaryPatch(binary.before, binary.after)), true));
  }
  return parts.join('');
}

/** `binaryText` replaces the lines of a binary file. */
function formatFile(file: FileChange, binaryText: string | undefined, hasFullIds = false): string {
  const { before, after, source } = file.difference;
  const { from, to, old, current } = fileNames(file);
  const lines = [`diff --git ${from} ${to}`];
  if (!before) lines.push(`new file mode ${after?.mode}`);
  else if (!after) lines.push(`deleted file mode ${before.mode}`);
  else if (before.mode !== after.mode) lines.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
  if (source) {
    const { previousFilename = '', filename } = file;
    lines.push(
      `similarity index ${source.similarity}%`,
      `rename from ${quotePath(previousFilename, source.path)}`,
      `rename to ${quotePath(filename, file.difference.path)}`,
    );
  }
  if (before?.oid !== after?.oid) {
    const mode = before && before.mode === after?.mode ? ` ${before.mode}` : '';
    const digits = binaryText !== undefined && hasFullIds ? 40 : 7;
    const idOf = (side: typeof before): string => (side?.oid ?? '0'.repeat(40)).slice(0, digits);
    lines.push(`index ${idOf(before)}..${idOf(after)}${mode}`);
    if (binaryText !== undefined) lines.push(binaryText);
    else if (file.patch !== null) {
      // A tab ends a name with spaces, for readers that look for a time after it.
      const end = (name: string): string => (name.includes(' ') ? '\t' : '');
      const [oldEnd, currentEnd] = [end(file.previousFilename ?? file.filename), end(file.filename)];
      lines.push(`--- ${old}${before ? oldEnd : ''}`, `+++ ${current}${after ? currentEnd : ''}`, file.patch);
    }
  }
  return `${lines.join('\n')}\n`;
}

function fileNames({ filename, previousFilename, difference: { path, source, before, after } }: FileChange) {
  const from = quotePath(`a/${previousFilename ?? filename}`, `a/${source?.path ?? path}`);
  const to = quotePath(`b/${filename}`, `b/${path}`);
  return { from, to, old: before ? from : '/dev/null', current: after ? to : '/dev/null' };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

/**
 * A name with a line feed, a quote or the like, or one that is not UTF-8, is quoted as a C string, as git does.
 * `bytes`: the same name, one character for each byte.
 */
export function quotePath(path: string, bytes: string): string {
  if (!/["\\\p{Cc}\ufffd]/u.test(path)) return path;
  const quoted = bytes.replace(
    /["\\]|[^ -~]/g,
    one => escapes.get(one) ?? `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${quoted}"`;
}
