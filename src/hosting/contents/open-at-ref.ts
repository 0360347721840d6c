import type { Context } from '../../context/context.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { defaultBranchTipColumn, refTipColumn } from '../../git/revision.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type ResolvedCommit, resolveCommit } from './resolve-path.ts';

/** A repository that the caller may read, at one of its versions. */
export interface RepositoryAtRef {
  row: OwnedRow;
  repository: Repository;
  at: ResolvedCommit;
}

/**
 * The repository at the version that `ref` means, empty for the default branch. Null when the caller may not see it. Whether
 * they may and where the ref stands is asked anew every time, in one statement; what the commit is made of never changes, and
 * takes no other one while it is in memory.
 */
export async function openAtRef(
  context: Context,
  address: RepositoryAddress,
  ref: string,
): Promise<RepositoryAtRef | null> {
  const tipColumn = ref === '' ? defaultBranchTipColumn : refTipColumn(ref);
  const row = await repositoryFor(context, address, 'contents:read', undefined, tipColumn);
  if (!row) return null;
  const repository = openRepository(context.read, row.databaseId);
  const at = await resolveCommit(repository, ref, row.defaultBranch, row.extraColumn?.toString('hex'));
  return { row, repository, at };
}
