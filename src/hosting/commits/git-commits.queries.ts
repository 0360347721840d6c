import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { hasBranches } from '../../git/refs.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { gitProblems } from '../git-problems.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';

/**
 * Opens the contents of a repository.
 * @throws 404 when the caller may not read, or write, them
 */
export async function openContents(
  context: Context,
  address: RepositoryAddress,
  scope: 'contents:read' | 'contents:write',
): Promise<{ row: OwnedRow; store: Repository }> {
  const row = await repositoryFor(context, address, scope);
  if (!row) throw notFound();
  return { row, store: openRepository(context, row.databaseId) };
}

/** A condition of a write of git data. */
export interface WriteCondition {
  /** Whether a repository without a branch is refused: the published contract has no git data in it. */
  requiresBranch?: boolean | null | undefined;
}

/** Opens the contents of a repository to write git data. @throws 404; 409 for an empty repository, if a branch is required */
export async function openToWrite(
  context: Context,
  address: RepositoryAddress,
  { requiresBranch }: WriteCondition,
): Promise<{ row: OwnedRow; store: Repository }> {
  const opened = await openContents(context, address, 'contents:write');
  if (requiresBranch && !(await hasBranches(opened.store))) throw gitProblems.repositoryEmpty();
  return opened;
}
