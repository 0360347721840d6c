import type { GitFileAddition } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import { notFound, ruleBroken } from '../../errors/errors.ts';
import { applyChanges, type Change } from '../../git/apply-changes.ts';
import { encodeCommit } from '../../git/commit.ts';
import { type GitObject, isOid, type Oid, objectOf } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { hasBranches } from '../../git/refs.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import { canonicalMode, kindOf, modes } from '../../git/tree.ts';
import { entryAt, pathParts } from '../../git/tree-path.ts';
import { bytesOfBase64 } from '../git-data/base64.ts';
import { push } from '../pushes/push.ts';
import { demandPushed, tellingGitErrors } from '../pushes/push-failure.ts';
import type { Brought } from '../pushes/push-request.ts';
import { pusherOf } from '../pushes/push-rights.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { commitPeople, type GivenPeople } from './commit-people.ts';
import { type GitCommitRow, gitCommitOf } from './git-commit.ts';
import { contentsOf } from './git-commits.queries.ts';

export interface CommitOnBranch extends GivenPeople {
  message: string;
  branch?: string | null | undefined;
  expectedHead?: string | null | undefined;
  additions: readonly GitFileAddition[];
  deletions: readonly string[];
}

/**
 * Changes files of a branch by one commit on top of where the branch stands. Writers of one branch take turns; who says where
 * it must stand, and is late, gets 409. In an empty repository the branch is made, by a commit without parents.
 */
export async function createCommitOnBranch(
  context: Context,
  address: RepositoryAddress,
  input: CommitOnBranch,
): Promise<GitCommitRow> {
  const { row } = await contentsOf(context, address, 'contents:write');
  const branch = input.branch ?? row.defaultBranch;
  const absent = notFound({}, `Branch ${branch} not found`);
  if (!isBranchName(branch)) throw absent;
  const { expectedHead } = input;
  if (expectedHead != null && !isOid(expectedHead))
    throw ruleBroken([], 'expectedHead must be a whole id of a commit.');
  const files = input.additions.map(one => ({ ...one, blob: objectOf('blob', bytesOfBase64(one.contents)) }));
  const people = await commitPeople(context, input);
  let made: GitObject | undefined;
  const commit = async (head: Oid | undefined, repository: RepositoryInTransaction): Promise<Brought> => {
    if (head === undefined && (await hasBranches(repository))) throw absent;
    const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
    const changes: Change[] = input.deletions.map(path => ({ path, entry: undefined }));
    for (const { path, mode, blob } of files) {
      changes.push({ path, entry: { mode: mode ?? (await modeAt(repository, base, path)), oid: blob.oid } });
    }
    const { tree, objects } = await applyChanges(repository, base, changes);
    const parents = head === undefined ? [] : [head];
    made = objectOf('commit', encodeCommit({ tree, parents, ...people, message: input.message }));
    return { to: made.oid, objects: [...files.map(({ blob }) => blob), ...objects, made] };
  };
  const update = {
    ref: `refs/heads/${branch}`,
    to: commit,
    ...(expectedHead == null ? {} : { expected: expectedHead }),
  };
  const request = { repositoryId: row.databaseId, ...pusherOf(context, row), updates: [update] };
  demandPushed(await tellingGitErrors(() => push(context, request)));
  if (!made) throw new TypeError('The push came about without the commit it was for.');
  return gitCommitOf(context, row, made);
}

/** What stands at a path keeps its kind, and what is new is a plain file. */
async function modeAt(repository: RepositoryInTransaction, base: Oid | undefined, path: string): Promise<string> {
  const old = base === undefined ? undefined : await entryAt(repository, base, pathParts(path));
  if (!old || !['file', 'symlink'].includes(kindOf(old.mode))) return modes.file;
  return canonicalMode(old.mode);
}
