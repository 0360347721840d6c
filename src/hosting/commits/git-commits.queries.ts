import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { historyPage } from '../../git/history.ts';
import { isOid } from '../../git/object.ts';
import { findObject, findObjects, missingObject, statObjects } from '../../git/read-objects.ts';
import { hasBranches } from '../../git/refs.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { peelToCommit, resolveRevision } from '../../git/revision.ts';
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
  return { row, store: openRepository(context.read, row.databaseId) };
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

/** A page of the commits that are reachable from a branch, tag or commit; null when the revision does not exist. */
export async function commitHistory(
  context: Context,
  address: RepositoryAddress,
  revision: string | null | undefined,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ nodes: GitCommitRow[]; hasNext: boolean } | null> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const found = await resolveRevision(store, revision ?? `refs/heads/${row.defaultBranch}`);
  const tip = found && (await peelToCommit(store, found.oid));
  if (tip === undefined) return null;
  // One more than requested tells whether there is a next page.
  const walked = await historyPage(store, [tip], { skip, limit: limit + 1 });
  const page = walked.slice(0, limit);
  const oids = page.map(({ oid }) => oid);
  // A message can have a megabyte; in memory a commit holds its bytes and its parsed message.
  for (const { size } of (await statObjects(store, oids)).values()) context.largeValues.take(2 * size);
  const objects = await findObjects(store, oids);
  const nodes = page.map(({ oid }) => {
    const object = objects.get(oid);
    if (!object) throw missingObject(oid);
    return toGitCommit(context, row, object);
  });
  return { nodes, hasNext: walked.length > limit };
}
