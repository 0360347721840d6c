import { encodeCommit } from '../../../src/git/commit.ts';
import { createObject, type GitObject } from '../../../src/git/object.ts';
import { encodeTree } from '../../../src/git/tree.ts';

const tree = createObject('tree', encodeTree([]));

/** A linear history of commits with empty trees, one second apart. */
export function chain(length: number, message: (at: number) => string): GitObject[] {
  const made: GitObject[] = [];
  for (let at = 0; at < length; at++) {
    const by = { name: 'A U Thor', email: 'author@example.org', seconds: 1_780_000_000 + at, zone: '+0000' };
    const last = made.at(-1);
    const parents = last ? [last.oid] : [];
    const commit = { tree: tree.oid, parents, author: by, committer: by, message: message(at) };
    made.push(createObject('commit', encodeCommit(commit)));
  }
  return made;
}
