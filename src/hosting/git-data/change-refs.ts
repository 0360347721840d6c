import type { GitRef } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import { isAncestor } from '../../git/history.ts';
import { isOid } from '../../git/object.ts';
import { statObject } from '../../git/read-objects.ts';
import { isBranchName, isRefName } from '../../git/ref-name.ts';
import type { Repository } from '../../git/repository.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { gitProblems } from '../git-problems.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { PushResult, RefUpdate } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';

/**
 * Creates a ref.
 * @throws 422 when it exists, the name is invalid or the object does not exist
 */
export async function createRef(
  context: Context,
  address: RepositoryAddress,
  { ref, sha }: { ref: string; sha: string },
): Promise<GitRef> {
  const { row, store } = await openContents(context, address, 'contents:write');
  if (!isCreatableRef(ref)) throw gitProblems.invalidRefName(ref);
  await assertObjectExists(store, sha);
  const result = await pushUpdate(context, row, { ref, expected: null, to: sha });
  if (result.kind === 'conflict' && result.reason === 'moved') throw gitProblems.refExists();
  assertPushed(result);
  return { name: ref, sha };
}

/**
 * Updates a ref; without `force` only by a fast-forward.
 * @throws 422 when the ref or the object does not exist
 */
export async function updateRef(
  context: Context,
  address: RepositoryAddress,
  { ref, sha, force, expected }: { ref: string; sha: string; force: boolean; expected?: string | null | undefined },
): Promise<GitRef> {
  const { row, store } = await openContents(context, address, 'contents:write');
  await assertObjectExists(store, sha);
  if (expected != null && !isOid(expected)) throw gitProblems.invalidExpectedId();
  const result = await pushUpdate(context, row, {
    ref,
    ...(expected == null ? {} : { expected }),
    async to(head, repository) {
      if (head === undefined) throw gitProblems.refMissing();
      if (!force && !(await isFastForward(repository, head, sha))) throw gitProblems.notFastForward();
      return { to: sha, objects: [] };
    },
  });
  assertPushed(result);
  return { name: ref, sha };
}

/**
 * Deletes a ref. Its objects stay and can be read by id.
 * @throws 422 when it does not exist
 */
export async function deleteRef(
  context: Context,
  address: RepositoryAddress,
  { ref, expected }: { ref: string; expected?: string | null | undefined },
): Promise<void> {
  const { row } = await openContents(context, address, 'contents:write');
  if (expected != null && !isOid(expected)) throw gitProblems.invalidExpectedId();
  const result = await pushUpdate(context, row, {
    ref,
    ...(expected == null ? {} : { expected }),
    async to(head) {
      if (head === undefined) throw gitProblems.refMissing();
      return { to: null, objects: [] };
    },
  });
  assertPushed(result);
}

function pushUpdate(context: Context, row: OwnedRow, update: RefUpdate): Promise<PushResult> {
  // No ref has such a name, and PostgreSQL text cannot contain NUL.
  if (!isRefName(update.ref)) throw gitProblems.refMissing();
  return translateGitErrors(() =>
    push(context, { repositoryId: row.databaseId, ...pusherFor(context, row), updates: [update] }),
  );
}

/** Below refs/heads a valid branch name, elsewhere a valid ref name. Refs directly below refs/ are reserved by git. */
function isCreatableRef(ref: string): boolean {
  if (!ref.startsWith('refs/') || ref.split('/').length < 3) return false;
  return ref.startsWith('refs/heads/') ? isBranchName(ref.slice('refs/heads/'.length)) : isRefName(ref);
}

async function assertObjectExists(store: Repository, sha: string): Promise<void> {
  if (!isOid(sha)) throw gitProblems.invalidId('sha');
  if (!(await statObject(store, sha))) throw gitProblems.objectMissing();
}

/** Only moves between commits can be fast-forwards. */
async function isFastForward(repository: Repository, from: string, to: string): Promise<boolean> {
  if (from === to) return true;
  for (const oid of [from, to]) if ((await statObject(repository, oid))?.type !== 'commit') return false;
  return isAncestor(repository, from, to);
}
