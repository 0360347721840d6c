import type { Context } from '../../context/context.ts';
import { badInput } from '../../errors/errors.ts';
import { isAncestor } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { statObject, statObjects } from '../../git/read-objects.ts';
import { isBranchName, isHiddenRef, isRefName } from '../../git/ref-name.ts';
import type { Repository } from '../../git/repository.ts';
import { openContents, openToWrite, type WriteCondition } from '../commits/git-commits.queries.ts';
import { gitProblems } from '../git-problems.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { PushResult, RefUpdate } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import type { RefRow } from './refs.queries.ts';

/** The id of no object: a condition that a ref must not exist, or a request to delete it. */
export const noOid: Oid = '0'.repeat(40);

/** A change of one ref. */
export interface RefChangeInput {
  /** Full name. */
  name: string;
  /** Id that the ref must point to before; `noOid` if it must not exist; no condition when absent. */
  expectedOid?: Oid | null | undefined;
  /** New target; `noOid` deletes the ref. */
  oid: Oid;
  /** Whether an update that is not a fast-forward is allowed. */
  isForced?: boolean | null | undefined;
}

/**
 * Creates a ref.
 * @throws 422 when it exists, the name is invalid or the object does not exist
 */
export async function createRef(
  context: Context,
  address: RepositoryAddress,
  { name, oid, ...condition }: Pick<RefChangeInput, 'name' | 'oid'> & RefCondition,
): Promise<RefRow> {
  const { row, store } = await openToWrite(context, address, condition);
  if (!isCreatableRef(name)) throw gitProblems.invalidRefName(name);
  await assertObjectExists(store, oid);
  const result = await pushUpdates(context, row, [{ ref: name, expected: null, to: oid }]);
  if (result.kind === 'conflict' && result.reason === 'moved') throw gitProblems.refExists();
  assertRefPushed(result, condition);
  return { place: row, fullName: name, oid };
}

/**
 * Updates a ref; without `isForced` only by a fast-forward.
 * @throws 422 when the ref or the object does not exist; 409 when it is not at `expectedOid`
 */
export async function updateRef(
  context: Context,
  address: RepositoryAddress,
  change: RefChangeInput & RefCondition,
): Promise<RefRow> {
  const { row, store } = await openToWrite(context, address, change);
  await assertObjectExists(store, change.oid);
  assertRefPushed(await pushUpdates(context, row, [refUpdate(change, 'existing')]), change);
  return { place: row, fullName: change.name, oid: change.oid };
}

/**
 * Creates, updates and deletes refs, all or none.
 * @returns number of the repository
 * @throws 422 for invalid names and objects that do not exist; 409 when a ref is not at its `expectedOid`
 */
export async function updateRefs(
  context: Context,
  address: RepositoryAddress,
  changes: readonly RefChangeInput[],
): Promise<number> {
  const { row, store } = await openContents(context, address, 'contents:write');
  if (changes.length === 0) throw badInput('refUpdates is empty.', 'refUpdates');
  if (new Set(changes.map(({ name }) => name)).size < changes.length)
    throw badInput('A ref is named twice.', 'refUpdates');
  const kept = changes.filter(({ oid }) => oid !== noOid);
  const badName = kept.find(({ name }) => !isCreatableRef(name));
  if (badName) throw gitProblems.invalidRefName(badName.name);
  const oids = new Set(kept.map(({ oid }) => oid));
  if ((await statObjects(store, [...oids])).size < oids.size) throw gitProblems.objectMissing();
  const updates = changes.map(change => refUpdate(change, 'any'));
  assertPushed(await pushUpdates(context, row, updates));
  return row.databaseId;
}

/**
 * Deletes a ref. Its objects stay until garbage collection and can be read by id.
 * @returns number of the repository
 * @throws 422 when it does not exist; 409 when it is not at `expectedOid`
 */
export async function deleteRef(
  context: Context,
  address: RepositoryAddress,
  change: Pick<RefChangeInput, 'name' | 'expectedOid'> & RefCondition,
): Promise<number> {
  const { row } = await openToWrite(context, address, change);
  assertRefPushed(await pushUpdates(context, row, [refUpdate({ ...change, oid: noOid }, 'existing')]), change);
  return row.databaseId;
}

/** A write of one ref. */
interface RefCondition extends WriteCondition {
  /** Whether a refusal by rules is 422, as the published contract has it for refs, and not 409. */
  refusesAsInvalid?: boolean | null | undefined;
}

function assertRefPushed(result: PushResult, { refusesAsInvalid }: RefCondition): void {
  if (refusesAsInvalid && result.kind === 'refused')
    throw gitProblems.refRefused(result.violations.map(({ message }) => message));
  assertPushed(result);
}

/** `existing`: the ref must exist. A ref that does not exist can be created by `any`, not be deleted. */
function refUpdate({ name, expectedOid, oid, isForced }: RefChangeInput, which: 'existing' | 'any'): RefUpdate {
  return {
    ref: name,
    ...(expectedOid == null ? {} : { expected: expectedOid === noOid ? null : expectedOid }),
    async to(head, repository) {
      if (head === undefined && (which === 'existing' || oid === noOid)) throw gitProblems.refMissing();
      if (oid === noOid) return { to: null, objects: [] };
      if (head !== undefined && !isForced && !(await isFastForward(repository, head, oid)))
        throw gitProblems.notFastForward();
      return { to: oid, objects: [] };
    },
  };
}

function pushUpdates(context: Context, row: OwnedRow, updates: readonly RefUpdate[]): Promise<PushResult> {
  // No ref has such a name, and PostgreSQL text cannot contain NUL.
  if (!updates.every(({ ref }) => isRefName(ref))) throw gitProblems.refMissing();
  const hidden = updates.find(({ ref }) => isHiddenRef(ref));
  if (hidden) throw gitProblems.invalidRefName(hidden.ref);
  return translateGitErrors(() => push(context, { repositoryId: row.databaseId, ...pusherFor(context, row), updates }));
}

/** Below refs/heads a valid branch name, elsewhere a valid ref name. Refs directly below refs/ are reserved by git. */
function isCreatableRef(ref: string): boolean {
  if (!ref.startsWith('refs/') || ref.split('/').length < 3) return false;
  return ref.startsWith('refs/heads/') ? isBranchName(ref.slice('refs/heads/'.length)) : isRefName(ref);
}

async function assertObjectExists(store: Repository, oid: Oid): Promise<void> {
  if (!(await statObject(store, oid))) throw gitProblems.objectMissing();
}

/** Only moves between commits can be fast-forwards. */
async function isFastForward(repository: Repository, from: string, to: string): Promise<boolean> {
  if (from === to) return true;
  for (const oid of [from, to]) if ((await statObject(repository, oid))?.type !== 'commit') return false;
  return isAncestor(repository, from, to);
}
