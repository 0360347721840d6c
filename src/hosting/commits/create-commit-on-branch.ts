import type { GitFileAddition } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import { applyChanges, type TreeChange } from '../../git/apply-changes.ts';
import { encodeCommit } from '../../git/commit.ts';
import { createObject, type GitObject, isOid, type Oid } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { hasBranches } from '../../git/refs.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import { canonicalMode, entryKind, modes } from '../../git/tree.ts';
import { findEntry, pathParts } from '../../git/tree-path.ts';
import { decodeBase64 } from '../git-data/base64.ts';
import { gitProblems } from '../git-problems.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { NewObjects } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { type CommitIdentityInput, resolveCommitIdentities } from './commit-identities.ts';
import { type GitCommitRow, toGitCommit } from './git-commit.ts';
import { openContents } from './git-commits.queries.ts';

export interface CommitOnBranch extends CommitIdentityInput {
  message: string;
  branch?: string | null | undefined;
  expectedHead?: string | null | undefined;
  additions: readonly GitFileAddition[];
  deletions: readonly string[];
}

/**
 * Changes files of a branch with one commit on top of its current tip. Concurrent writers of the branch are serialised.
 * An empty repository gets its first branch, with a root commit.
 * @throws 409 when `expectedHead` is not the current tip
 */
export async function createCommitOnBranch(
  context: Context,
  address: RepositoryAddress,
  input: CommitOnBranch,
): Promise<GitCommitRow> {
  const { row } = await openContents(context, address, 'contents:write');
  const branch = input.branch ?? row.defaultBranch;
  const branchNotFound = gitProblems.branchNotFound(branch);
  if (!isBranchName(branch)) throw branchNotFound;
  const { expectedHead } = input;
  if (expectedHead != null && !isOid(expectedHead)) throw gitProblems.invalidExpectedHead();
  const files = input.additions.map(one => ({ ...one, blob: createObject('blob', decodeBase64(one.contents)) }));
  const people = await resolveCommitIdentities(context, input);
  let commitObject: GitObject | undefined;
  const commit = async (head: Oid | undefined, repository: RepositoryInTransaction): Promise<NewObjects> => {
    if (head === undefined && (await hasBranches(repository))) throw branchNotFound;
    const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
    const changes: TreeChange[] = input.deletions.map(path => ({ path, entry: undefined }));
    for (const { path, mode, blob } of files) {
      changes.push({ path, entry: { mode: mode ?? (await modeAt(repository, base, path)), oid: blob.oid } });
    }
    const { tree, objects } = await applyChanges(repository, base, changes);
    const parents = head === undefined ? [] : [head];
    commitObject = createObject('commit', encodeCommit({ tree, parents, ...people, message: input.message }));
    return { to: commitObject.oid, objects: [...files.map(({ blob }) => blob), ...objects, commitObject] };
  };
  const update = {
    ref: `refs/heads/${branch}`,
    to: commit,
    ...(expectedHead == null ? {} : { expected: expectedHead }),
  };
  const request = { repositoryId: row.databaseId, ...pusherFor(context, row), updates: [update] };
  assertPushed(await translateGitErrors(() => push(context, request)));
  if (!commitObject) throw new TypeError('The push succeeded without a commit.');
  return toGitCommit(context, row, commitObject);
}

/** The mode of an existing file or link is kept; a new file is a regular file. */
async function modeAt(repository: RepositoryInTransaction, base: Oid | undefined, path: string): Promise<string> {
  const old = base === undefined ? undefined : await findEntry(repository, base, pathParts(path));
  if (!old || !['file', 'symlink'].includes(entryKind(old.mode))) return modes.file;
  return canonicalMode(old.mode);
}
