import { GitError } from './git-error.ts';
import type { GitObject, ObjectType } from './object.ts';

/** The most that new objects may have. Stored ones and imports may have more: reads of them spend a work budget. */
export interface ShapeLimits {
  /** Bytes of a commit or tag. */
  maxCommitBytes: number;
  /** Lines of the header of a commit or tag, continuation lines included. */
  maxHeaderLines: number;
  maxParents: number;
  maxTreeEntries: number;
  /** Bytes of a path below the root of a tree. */
  maxPathBytes: number;
  /** Parts of such a path. */
  maxPathDepth: number;
}

/**
 * Why an object may not be stored; undefined when it may. Of trees the entries are counted here, and paths by `TreePaths`. Looks at each
 * byte once at most and ends at the first limit.
 */
export function shapeProblem(
  { type, content }: Pick<GitObject, 'type' | 'content'>,
  limits: ShapeLimits,
): string | undefined {
  if (type === 'blob') return undefined;
  if (type === 'tree') {
    return hasMoreEntries(content, limits.maxTreeEntries)
      ? `has more than ${limits.maxTreeEntries} entries`
      : undefined;
  }
  const size = sizeProblem(type, content.length, limits);
  if (size !== undefined) return size;
  if (type === 'commit' && parentsOf(content) > limits.maxParents) return `has more than ${limits.maxParents} parents`;
  if (hasMoreHeaderLines(content, limits.maxHeaderLines)) return `has more than ${limits.maxHeaderLines} header lines`;
  return undefined;
}

/** The same by the size alone, before the object is read. */
export function sizeProblem(type: ObjectType, size: number, { maxCommitBytes }: ShapeLimits): string | undefined {
  if ((type !== 'commit' && type !== 'tag') || size <= maxCommitBytes) return undefined;
  return `has ${size} bytes, and a ${type} has at most ${maxCommitBytes}`;
}

/** @throws GitError `too-large` */
export function assertShape(object: GitObject, limits: ShapeLimits): void {
  if (object.type === 'blob') return;
  const problem = shapeProblem(object, limits);
  if (problem !== undefined)
    throw new GitError('too-large', object.oid, `The ${object.type} ${object.oid} ${problem}.`);
}

/** `mode SP name NUL`, and 20 bytes of the id. A tree that is damaged is left to its parser. */
function hasMoreEntries(tree: Buffer, max: number): boolean {
  // The shortest entry has 24 bytes: a mode of 1 digit, a space, a name of 1 byte, NUL and the id.
  if (tree.length <= max * 24) return false;
  let entries = 0;
  for (let at = 0; at < tree.length; entries++) {
    if (entries === max) return true;
    const end = tree.indexOf(0, at);
    if (end < 0) return false;
    at = end + 21;
  }
  return false;
}

/** «parent », 40 digits and a line feed; after «tree », 40 digits and a line feed. */
function parentsOf(commit: Buffer): number {
  let parents = 0;
  for (let at = 46; commit.toString('latin1', at, at + 7) === 'parent '; at += 48) parents++;
  return parents;
}

function hasMoreHeaderLines(content: Buffer, max: number): boolean {
  let at = 0;
  for (let lines = 0; at < content.length && content[at] !== 0x0a; lines++) {
    if (lines === max) return true;
    const end = content.indexOf(0x0a, at);
    if (end < 0) return false;
    at = end + 1;
  }
  return false;
}
