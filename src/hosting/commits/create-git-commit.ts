import type { Context } from '../../context/context.ts';
import { encodeCommit } from '../../git/commit.ts';
import { createObject, isOid, type ObjectType, type Oid } from '../../git/object.ts';
import { statObjects } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { emptyTree } from '../../git/tree.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import { gitProblems } from '../git-problems.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { type CommitIdentityInput, resolveCommitIdentities } from './commit-identities.ts';
import { openToWrite, type WriteCondition } from './git-commits.queries.ts';
import { commitEncoder, isSignedForCaller } from './service-signer.ts';
import { storeObjects } from './store-objects.ts';

export interface NewGitCommit extends CommitIdentityInput, WriteCondition {
  message: string;
  treeOid: string;
  parentOids?: readonly string[] | null | undefined;
  signature?: string | null | undefined;
}

/**
 * Stores a commit of an existing tree and existing parents. No ref moves; the commit is found by its id, and the same
 * input gives the same id. The input is stored byte for byte, so that a signature made by the client matches. What an app commits
 * without a signature and people of its own is signed by the service.
 */
export async function createGitCommit(
  context: Context,
  address: RepositoryAddress,
  input: NewGitCommit,
): Promise<GitObjectRow> {
  const { row, store } = await openToWrite(context, address, input);
  if (input.parentOids === null) throw gitProblems.nullNotAllowed('array', 'parents');
  if (input.signature === null) throw gitProblems.nullNotAllowed('string', 'signature');
  const { treeOid: tree, parentOids } = input;
  const parents = parentOids ?? [];
  await assertTreeAndParents(store, { tree, parents, maxParents: context.config.COMMIT_MAX_PARENTS });
  const people = await resolveCommitIdentities(context, input);
  const { message, signature } = input;
  const isSigned = !signature && isSignedForCaller(context, input);
  const content = await translateGitErrors(async () =>
    isSigned
      ? (await commitEncoder(context, people, true))({ tree, parents, message })
      : encodeCommit({ tree, parents, ...people, message, ...(signature ? { signature } : {}) }),
  );
  const commit = createObject('commit', content);
  const isEmpty = tree === emptyTree.oid;
  const stored = isEmpty ? [] : [[tree, 'tree'] as const];
  const links = new Map<Oid, ObjectType>([...stored, ...parents.map(oid => [oid, 'commit'] as const)]);
  await storeObjects(context, row.databaseId, isEmpty ? [emptyTree, commit] : [commit], links);
  return gitObjectRow('commit', row, commit.oid);
}

/** Checks the tree and the parents; the messages are published. */
async function assertTreeAndParents(
  store: Repository,
  { tree, parents, maxParents }: { tree: string; parents: readonly string[]; maxParents: number },
): Promise<void> {
  if (!isOid(tree)) throw gitProblems.invalidId('tree');
  if (!parents.every(isOid)) throw gitProblems.invalidParentIds();
  if (parents.length > maxParents) throw gitProblems.tooManyParents(maxParents);
  const found = await statObjects(store, [...new Set([tree, ...parents])]);
  const stored = found.get(tree);
  if (!stored && tree !== emptyTree.oid) throw gitProblems.treeMissing();
  if (stored && stored.type !== 'tree') throw gitProblems.treeWrongType();
  if (!parents.every(parent => found.get(parent)?.type === 'commit')) {
    throw gitProblems.parentMissing();
  }
}
