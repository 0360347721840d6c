import type { Context } from '../../context/context.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { defaultBranchTipColumn, refTipColumn } from '../../git/revision.ts';
import { splitRevision } from '../../git/revision-suffix.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type ResolvedCommit, resolveCommit } from './resolve-commit.ts';

/** A repository that the caller may read, resolved to one commit. */
export interface RepositoryAtRef {
  row: OwnedRow;
  repository: Repository;
  resolved: ResolvedCommit;
}

/**
 * Opens a repository at `ref`, a revision as `resolveCommit` takes it. Null when the caller may not read it. Access and the id of
 * the ref are read anew each time, in one statement; the immutable commit comes from the cache when it is there.
 */
export async function openAtRef(
  context: Context,
  address: RepositoryAddress,
  ref: string,
): Promise<RepositoryAtRef | null> {
  const name = splitRevision(ref)?.name ?? '';
  const tipColumn = name === '' || name === 'HEAD' ? defaultBranchTipColumn : refTipColumn(name);
  const row = await repositoryFor(context, address, 'contents:read', undefined, tipColumn);
  if (!row) return null;
  const repository = openRepository(context, row.databaseId);
  const resolved = await resolveCommit(repository, ref, row.defaultBranch, row.extraColumn?.toString('hex'));
  return { row, repository, resolved };
}
