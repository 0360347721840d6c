import { GitError } from './git-error.ts';
import type { Oid } from './object.ts';
import { entryKind } from './tree.ts';

/** What an entry of a tree refers to. */
export interface TreeLink {
  target: Oid;
  type: 'tree' | 'blob';
  /** Bytes of its name. */
  nameBytes: number;
}

/**
 * What the entries of a tree refer to, one by one and without an object for each entry: a tree of 16 MB has half a million. Commits of
 * submodules are left out.
 * @throws GitError `corrupt`
 */
export function* treeLinks(content: Buffer, subject: string): Generator<TreeLink> {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    if (end < 0 || end + 21 > content.length) {
      throw new GitError('corrupt', subject, `The tree ${subject} is damaged at byte ${at}.`);
    }
    const kind = entryKind(content.toString('latin1', at, Math.min(space, at + 7)));
    at = end + 21;
    if (kind === 'submodule') continue;
    yield {
      target: content.toString('hex', end + 1, at),
      type: kind === 'directory' ? 'tree' : 'blob',
      nameBytes: end - space - 1,
    };
  }
}
