import { type Kysely, sql } from 'kysely';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { readRef } from '../../git/refs.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { gitProblems } from '../git-problems.ts';
import { setDefaultBranch } from '../pushes/first-branch.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { PushContext, PushResult } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type AccessDecision, accessDecision } from '../repositories/repository-access.ts';
import { recordRepositoryEvent } from '../repositories/repository-events.ts';
import { loadProtectedBranches } from '../rules/protected-branches.ts';
import { recordFormerBranchName } from './former-branch-names.ts';
import type { RefRow } from './refs.queries.ts';

const prefix = 'refs/heads/';

/**
 * Renames a branch by one push, which creates the new ref and deletes the old one. The default branch stays the default branch, and
 * needs the permission to change settings.
 *
 * @throws 404 for a branch that does not exist; 403 for the default branch of which the caller may not change the settings; 422 for an
 * invalid or taken name; 409 when rules refuse the push
 */
export async function renameBranch(
  context: Context,
  address: RepositoryAddress,
  { name, newName }: { name: string; newName: string },
): Promise<RefRow> {
  const { row, store } = await openContents(context, address, 'contents:write');
  const oid = isBranchName(name) ? await readRef(store, `${prefix}${name}`) : undefined;
  if (oid === undefined) throw gitProblems.branchAbsentHere();
  if (!isBranchName(newName)) throw gitProblems.invalidBranchName();
  const isDefault = row.defaultBranch === name;
  if (isDefault && !(await repositoryFor(context, address, 'administration:write'))) throw notFound();
  if (newName === name) throw gitProblems.refExists();
  const updates = [
    { ref: `${prefix}${name}`, expected: oid, to: null },
    { ref: `${prefix}${newName}`, expected: null, to: oid },
  ];
  const mayProtect = isDefault || (await administersProtected(context, row, name));
  const pushed = renaming(context, row.databaseId, { name, newName, mayProtect });
  const result = await translateGitErrors(() =>
    push(pushed, { repositoryId: row.databaseId, ...pusherFor(context, row), updates }),
  );
  if (result.kind === 'conflict' && result.reason === 'moved' && result.ref === `${prefix}${newName}`)
    throw gitProblems.refExists();
  assertPushed(result);
  return { place: row, fullName: `${prefix}${newName}`, oid };
}

/** Whether the branch is protected, and by a repository that the caller administers. */
async function administersProtected(context: Context, { databaseId: id }: OwnedRow, name: string): Promise<boolean> {
  const ref = `${prefix}${name}`;
  if (!(await loadProtectedBranches(context.read, id, [ref])).has(ref)) return false;
  const scope: HostingScope = 'administration:write';
  const [found] = await context.read(sql<{ decision: AccessDecision }>`
    select ${accessDecision(context.actor, scope)} as decision
    from repository r join account o on o.id = r.owner_id where r.id = ${id}`);
  return found?.decision === 'allowed';
}

/** Moves the protection of a branch to its new name, unless that is protected itself. Returns whether it did. */
async function moveProtection(db: Kysely<unknown>, id: number, name: string, newName: string): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update branch_protection_rule set pattern = ${newName} where repository_id = ${id} and pattern = ${name}
    and not exists (select 1 from branch_protection_rule p where p.repository_id = ${id} and p.pattern = ${newName})`.execute(
      db,
    );
  return numAffectedRows !== undefined && numAffectedRows > 0n;
}

/**
 * A context whose push records the former name in its transaction, and changes the default branch: a push that deletes the default branch
 * is refused. The protection of the branch moves to the new name, if the caller may change it; otherwise its rules apply to the deletion.
 */
function renaming(
  context: Context,
  id: number,
  { name, newName, mayProtect }: { name: string; newName: string; mayProtect: boolean },
): PushContext {
  const { read, workBudget, now, publicOrigin, deadline } = context;
  const change = async <T>(db: Kysely<unknown>, work: (db: Kysely<unknown>) => Promise<T>): Promise<T> => {
    const { rows } =
      await sql`select 1 from repository where id = ${id} and default_branch = ${name} for update`.execute(db);
    const isDefault = rows.length > 0;
    if (isDefault) await setDefaultBranch(db, id, newName);
    const isMoved = mayProtect && (await moveProtection(db, id, name, newName));
    const result = await work(db);
    if ((result as PushResult).kind === 'pushed') {
      await recordFormerBranchName(db, id, { name, newName });
      const changes = { default_branch: { from: name } };
      if (isDefault) await recordRepositoryEvent(db, context, id, 'edited', { changes });
    }
    // The transaction of a refused push is committed, with its rule suite.
    else {
      if (isDefault) await setDefaultBranch(db, id, name);
      if (isMoved) await moveProtection(db, id, newName, name);
    }
    return result;
  };
  return {
    read,
    workBudget,
    now,
    publicOrigin,
    deadline,
    transaction: work => context.transaction(db => change(db, work)),
  };
}
