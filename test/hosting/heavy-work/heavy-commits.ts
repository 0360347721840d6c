import { sql } from 'kysely';
import { type Database, inTransaction } from '../../../src/db/database.ts';
import { encodeCommit } from '../../../src/git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../../src/git/object.ts';
import { moveRefs } from '../../../src/git/refs.ts';
import { emptyTree, encodeTree, modes } from '../../../src/git/tree.ts';
import { writeObjects } from '../../../src/git/write-objects.ts';

/** A repository whose objects and branches a test writes without the API. */
export interface HeavyRepository {
  database: Database;
  id: number;
  now: Date;
}

interface NewBranch {
  branch: string;
  /** The commit is the last one. */
  objects: readonly GitObject[];
}

export function commitOf(tree: Oid, parents: readonly Oid[], seconds = 1_790_000_001): GitObject {
  const person = { name: 'A', email: 'a@example.org', seconds, zone: '+0000' };
  return createObject('commit', encodeCommit({ tree, parents, author: person, committer: person, message: 'x' }));
}

export function addBranch({ database, id, now }: HeavyRepository, { branch, objects }: NewBranch): Promise<void> {
  return inTransaction(database, async db => {
    await writeObjects({ db, repositoryId: id, now }, [...objects]);
    const to = objects.at(-1)?.oid ?? '';
    await moveRefs(db, id, [{ name: `refs/heads/${branch}`, old: undefined, to }]);
  });
}

/** A branch whose comparison with main takes seconds and ends at the budget: 10^depth directories without a file. */
export async function addBomb(repository: HeavyRepository, branch: string, depth = 9): Promise<void> {
  const [main] = await repository.database.read<{ oid: string }>(sql`
    select encode(oid, 'hex') as oid from git_ref where repository_id = ${repository.id} and name = 'refs/heads/main'`);
  const objects: GitObject[] = [emptyTree];
  for (let level = 0; level < depth; level++) {
    const oid = objects.at(-1)?.oid ?? '';
    const names = Array.from({ length: 10 }, (_, n) => `${branch}${n}`);
    objects.push(treeOf(names.map(name => ({ mode: modes.directory, name, oid }))));
  }
  objects.push(commitOf(objects.at(-1)?.oid ?? '', [main?.oid ?? '']));
  await addBranch(repository, { branch, objects });
}

const folders = 300;
const filesOfFolder = 40;
const blob = createObject('blob', Buffer.from('x'));

/**
 * The objects of a commit with 300 different directories of 40 files each, and in each of them the file `added`, if there is one. Two
 * such commits on the first one have 300 directories to merge.
 */
export function wideCommit(parents: readonly Oid[], added?: string): GitObject[] {
  const trees = Array.from({ length: folders }, (_, folder) => {
    const files = Array.from({ length: filesOfFolder }, (_, n) => `file-${n}`);
    const names = [...files, `folder-${folder}`, ...(added === undefined ? [] : [added])];
    return treeOf(names.map(name => ({ mode: modes.file, name, oid: blob.oid })));
  });
  const root = treeOf(
    trees.map(({ oid }, at) => ({ mode: modes.directory, name: `d-${String(at).padStart(3, '0')}`, oid })),
  );
  return [blob, ...trees, root, commitOf(root.oid, parents)];
}

function treeOf(entries: readonly { mode: string; name: string; oid: Oid }[]): GitObject {
  return createObject('tree', encodeTree(entries.map(entry => ({ ...entry, name: Buffer.from(entry.name) }))));
}
