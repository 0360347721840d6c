import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { isOid } from '../../git/object.ts';
import { findObject } from '../../git/read-objects.ts';
import { hasBranches } from '../../git/refs.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { gitProblems } from '../git-problems.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type GitCommitRow, toGitCommit } from './git-commit.ts';

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

/**
 * The same for a repository that must have a branch: the published contract has no git data in another.
 * @throws 404; 409 for an empty repository
 */
export async function openNonEmpty(
  context: Context,
  address: RepositoryAddress,
  scope: 'contents:read' | 'contents:write',
): Promise<{ row: OwnedRow; store: Repository }> {
  const opened = await openContents(context, address, scope);
  if (!(await hasBranches(opened.store))) throw gitProblems.repositoryEmpty();
  return opened;
}

/**
 * The commit with this full id, reachable or not; null when there is none.
 * @throws 409 for an empty repository
 */
export async function gitCommit(
  context: Context,
  address: RepositoryAddress,
  sha: string,
): Promise<GitCommitRow | null> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const oid = sha.toLowerCase();
  const found = isOid(oid) ? await findCommit(store, oid) : undefined;
  if (found) return toGitCommit(context, row, found);
  if (!(await hasBranches(store))) throw gitProblems.repositoryEmpty();
  return null;
}

async function findCommit(store: Repository, oid: string) {
  try {
    const found = await findObject(store, oid);
    return found?.type === 'commit' ? found : undefined;
  } catch (error) {
    // A large blob cannot be read as a whole, and is not a commit.
    if ((error as { code?: unknown }).code === 'too-large') return undefined;
    throw error;
  }
}
