import type { Context } from '../../context/context.ts';
import { type Repository, repositoryOf } from '../../git/repository.ts';
import { defaultTipBeside, tipBeside } from '../../git/revision.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type Version, versionAt } from './resolve-path.ts';

/** A repository that the caller may read, at one of its versions. */
export interface OpenVersion {
  row: OwnedRow;
  repository: Repository;
  at: Version;
}

/**
 * The repository at the version that `ref` means, empty for the default branch. Null when the caller may not see it. Whether
 * they may and where the ref stands is asked anew every time, in one statement; what the commit is made of never changes, and
 * takes no other one while it is in memory.
 */
export async function openVersion(
  context: Context,
  address: RepositoryAddress,
  ref: string,
): Promise<OpenVersion | null> {
  const beside = ref === '' ? defaultTipBeside : tipBeside(ref);
  const row = await repositoryFor(context, address, 'contents:read', undefined, beside);
  if (!row) return null;
  const repository = repositoryOf(context.read, row.databaseId);
  const at = await versionAt(repository, ref, row.defaultBranch, row.beside?.toString('hex'));
  return { row, repository, at };
}
