import type { Context } from '../../context/context.ts';
import { createObject, type Oid } from '../../git/object.ts';
import { readRef } from '../../git/refs.ts';
import { openRepository, type RepositoryInTransaction } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { WorkBudgetError } from '../../workers/work-budget.ts';
import { resolveCommitIdentities } from '../commits/commit-identities.ts';
import { type CommitEncoder, commitEncoder } from '../commits/service-signer.ts';
import { gitProblems } from '../git-problems.ts';
import { RefMovedError } from '../pushes/lock-refs.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { NewObjects, PushRequest } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { mergeComputation, type PlannedMerge, planMerge } from './merge-computation.ts';

/** What became of a merge: a merge commit, a branch that was moved forward, or a branch that had the commit already. */
export type MergeKind = 'merge' | 'fast-forward' | 'none';

export interface BranchMerge {
  /** Repository of the branch, which the caller may write. */
  row: OwnedRow;
  /** Short name. */
  branch: string;
  /** Commit that is merged into the branch. */
  head: Oid;
  message: string;
  /** Whether a branch without commits of its own is moved forward, without a merge commit. */
  mayFastForward: boolean;
  /** Stores the head and its history, where the repository may lack them. */
  store?: PushRequest['store'];
}

/** Merges that are planned anew because the branch has moved meanwhile. */
const maxPlans = 5;
/** Work on a branch that has moved since the merge was planned, while the branch is locked: others wait for it. One run of git is in it. */
const maxLockedMs = 200;

/**
 * Merges a commit into a branch by one push. The commit is the caller's, signed by the service. Returns the tip. The merge is planned
 * before the branch is locked, and carried out if the branch is still where it was.
 *
 * @throws 404 for a branch that does not exist; 409 for a conflict, for a branch that moves all the time, or when rules refuse the push
 */
export async function pushMerge(context: Context, merge: BranchMerge): Promise<{ kind: MergeKind; tip: Oid }> {
  const { row, branch, head, store } = merge;
  const encode = await commitEncoder(context, await resolveCommitIdentities(context, {}), true);
  for (let plans = 1; ; plans++) {
    let made: { kind: MergeKind; tip: Oid } | undefined;
    // What `store` brings is not there before the transaction.
    const planned = store ? undefined : await translateGitErrors(() => planBefore(context, merge));
    const to = async (tip: Oid | undefined, repository: RepositoryInTransaction): Promise<NewObjects> => {
      if (tip === undefined) throw gitProblems.baseAbsent();
      const plan = planned?.tip === tip ? planned.plan : await planLocked(repository, tip, merge, planned?.tip);
      const merged = await carryOut(plan, tip, merge, encode);
      made = { kind: merged.kind, tip: merged.to };
      return merged;
    };
    const request: PushRequest = {
      repositoryId: row.databaseId,
      ...pusherFor(context, row),
      updates: [{ ref: `refs/heads/${branch}`, to }],
      ...(store ? { store } : { links: new Map([[head, 'commit']]) }),
    };
    const result = await translateGitErrors(() => push(context, request));
    if (result.kind === 'conflict' && result.reason === 'moved' && plans < maxPlans) continue;
    assertPushed(result);
    if (!made) throw new TypeError('The push succeeded without a merge.');
    return made;
  }
}

async function planBefore(
  context: Context,
  { row, branch, head, mayFastForward }: BranchMerge,
): Promise<{ tip: Oid; plan: PlannedMerge } | undefined> {
  const repositoryId = row.databaseId;
  const tip = await readRef(openRepository(context, repositoryId), `refs/heads/${branch}`);
  if (tip === undefined) return undefined;
  return { tip, plan: await compute(context, mergeComputation, { repositoryId, tip, head, mayFastForward }) };
}

/** @throws RefMovedError when it takes long and a plan before the lock was possible */
async function planLocked(
  repository: RepositoryInTransaction,
  tip: Oid,
  { branch, head, mayFastForward }: BranchMerge,
  expected: Oid | undefined,
): Promise<PlannedMerge> {
  if (expected === undefined) return planMerge(repository, { tip, head, mayFastForward });
  try {
    return await repository.workBudget.spendPart({ milliseconds: maxLockedMs }, part =>
      planMerge({ ...repository, workBudget: part }, { tip, head, mayFastForward }),
    );
  } catch (error) {
    if (!(error instanceof WorkBudgetError)) throw error;
    throw new RefMovedError({ ref: `refs/heads/${branch}`, expected, actual: tip });
  }
}

async function carryOut(
  plan: PlannedMerge,
  tip: Oid,
  { head, message }: BranchMerge,
  encode: CommitEncoder,
): Promise<NewObjects & { kind: MergeKind; to: Oid }> {
  switch (plan.kind) {
    case 'none':
      return { kind: 'none', to: tip, objects: [] };
    case 'fast-forward':
      return { kind: 'fast-forward', to: head, objects: [] };
    case 'conflict':
      throw gitProblems.mergeConflict(Buffer.from(plan.path, 'latin1').toString(), plan.reason);
    case 'merge': {
      const commit = createObject('commit', await encode({ tree: plan.tree, parents: [tip, head], message }));
      return { kind: 'merge', to: commit.oid, objects: [...plan.objects, commit] };
    }
  }
}
