import type { FileAddition, FileDeletion } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import { applyChanges, type TreeChange } from '../../git/apply-changes.ts';
import { assertLinkTarget } from '../../git/entry-path.ts';
import { createObject, type GitObject, type Oid } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { hasBranches } from '../../git/refs.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import { canonicalMode, entryKind, modes } from '../../git/tree.ts';
import { findEntry, pathParts } from '../../git/tree-path.ts';
import { blobFromBase64 } from '../git-data/base64.ts';
import { noOid } from '../git-data/change-refs.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import type { RefRow } from '../git-data/refs.queries.ts';
import { gitProblems } from '../git-problems.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { NewObjects } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { type CommitIdentityInput, resolveCommitIdentities } from './commit-identities.ts';
import { openContents } from './git-commits.queries.ts';
import { commitEncoder } from './service-signer.ts';

export interface CommitOnBranch extends CommitIdentityInput {
  message: string;
  /** Short name; the default branch when absent. */
  branch?: string | null | undefined;
  /** Id that the tip must have, `noOid` if the branch must not exist; no condition when absent. */
  expectedHeadOid?: Oid | null | undefined;
  additions: readonly FileAddition[];
  deletions: readonly FileDeletion[];
}

/**
 * Changes files of a branch with one commit on top of its current tip. Concurrent writers of the branch are serialised.
 * An empty repository gets its first branch, with a root commit. The service signs the commit unless the caller names its people.
 * @throws 409 when `expectedHeadOid` is not the current tip
 */
export async function createCommitOnBranch(
  context: Context,
  address: RepositoryAddress,
  input: CommitOnBranch,
): Promise<{ commit: GitObjectRow; ref: RefRow }> {
  const { row } = await openContents(context, address, 'contents:write');
  const branch = input.branch ?? row.defaultBranch;
  const branchNotFound = gitProblems.branchNotFound(branch);
  if (!isBranchName(branch)) throw branchNotFound;
  const files: (FileAddition & { blob: GitObject })[] = [];
  for (const one of input.additions) {
    files.push({ ...one, blob: await blobFromBase64(one.contents, context.workBudget) });
  }
  const people = await resolveCommitIdentities(context, input);
  const encode = await commitEncoder(context, people, !input.author && !input.committer);
  let made: Oid | undefined;
  const commit = async (head: Oid | undefined, repository: RepositoryInTransaction): Promise<NewObjects> => {
    if (head === undefined && (await hasBranches(repository))) throw branchNotFound;
    const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
    const changes: TreeChange[] = input.deletions.map(({ path }) => ({ path, entry: undefined }));
    for (const { path, mode, blob } of files) {
      const kept = mode ?? (await modeAt(repository, base, path));
      if (entryKind(kept) === 'symlink') assertLinkTarget(path, blob.content);
      changes.push({ path, entry: { mode: kept, oid: blob.oid } });
    }
    const { tree, objects } = await applyChanges(repository, base, changes);
    const parents = head === undefined ? [] : [head];
    const commitObject = createObject('commit', await encode({ tree, parents, message: input.message }));
    made = commitObject.oid;
    return { to: made, objects: [...files.map(({ blob }) => blob), ...objects, commitObject] };
  };
  const ref = `refs/heads/${branch}`;
  const { expectedHeadOid: head } = input;
  const condition = head == null ? {} : { expected: head === noOid ? null : head };
  const updates = [{ ref, to: commit, ...condition }];
  const request = { repositoryId: row.databaseId, ...pusherFor(context, row), updates };
  assertPushed(await translateGitErrors(() => push(context, request)));
  if (made === undefined) throw new TypeError('The push succeeded without a commit.');
  return { commit: gitObjectRow('commit', row, made), ref: { place: row, fullName: ref, oid: made } };
}

/** The mode of an existing file or link is kept; a new file is a regular file. */
async function modeAt(repository: RepositoryInTransaction, base: Oid | undefined, path: string): Promise<string> {
  const old = base === undefined ? undefined : await findEntry(repository, base, pathParts(path));
  if (!old || !['file', 'symlink'].includes(entryKind(old.mode))) return modes.file;
  return canonicalMode(old.mode);
}
