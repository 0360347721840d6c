import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { readRef } from '../../git/refs.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { resolveCommit } from '../contents/resolve-commit.ts';
import { gitProblems } from '../git-problems.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { pushMerge } from './push-merge.ts';

interface MergeRequest {
  /** Short name of the branch that is written. */
  base: string;
  /** Branch, tag or commit id. */
  head: string;
  message?: string | null | undefined;
}

/**
 * Merges a branch or a commit into a branch, always with a merge commit. Returns its id; null when the branch has the commit already.
 *
 * @throws 404 for a base or head that does not exist; 409 for a conflict, or when rules refuse the push
 */
export async function mergeBranch(
  context: Context,
  address: RepositoryAddress,
  { base, head, message }: MergeRequest,
): Promise<{ row: OwnedRow; commit: Oid | null }> {
  const { row, store } = await openContents(context, address, 'contents:write');
  const isBranch = isBranchName(base) && (await readRef(store, `refs/heads/${base}`)) !== undefined;
  if (!isBranch) throw gitProblems.baseAbsent();
  const { commit } = await resolveCommit(store, head, row.defaultBranch);
  const { kind, tip } = await pushMerge(context, {
    row,
    branch: base,
    head: commit,
    message: message || `Merge ${head} into ${base}`,
    mayFastForward: false,
  });
  return { row, commit: kind === 'none' ? null : tip };
}
