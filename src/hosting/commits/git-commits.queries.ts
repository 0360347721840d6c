import type { Context } from '../../context/context.ts';
import { conflict, notFound } from '../../errors/errors.ts';
import { historyPage } from '../../git/history.ts';
import { isOid } from '../../git/object.ts';
import { findObject, findObjects, missingObject, statObjects } from '../../git/read-objects.ts';
import { hasBranches } from '../../git/refs.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { peelToCommit, resolveRevision } from '../../git/revision.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type GitCommitRow, toGitCommit } from './git-commit.ts';

/** What is published about a repository that has no branch yet. */
export const emptyRepository = (): Error => conflict({ reason: 'empty' }, 'Git Repository is empty.');

/** A repository whose contents the caller may read or change, or 404. */
export async function openContents(
  context: Context,
  address: RepositoryAddress,
  scope: 'contents:read' | 'contents:write',
): Promise<{ row: OwnedRow; store: Repository }> {
  const row = await repositoryFor(context, address, scope);
  if (!row) throw notFound();
  return { row, store: openRepository(context.read, row.databaseId) };
}

/** The commit with this whole id, also one that no branch leads to; null when there is none. An empty repository is 409. */
export async function gitCommit(
  context: Context,
  address: RepositoryAddress,
  sha: string,
): Promise<GitCommitRow | null> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const oid = sha.toLowerCase();
  const found = isOid(oid) ? await findCommit(store, oid) : undefined;
  if (found) return toGitCommit(context, row, found);
  if (!(await hasBranches(store))) throw emptyRepository();
  return null;
}

async function findCommit(store: Repository, oid: string) {
  try {
    const found = await findObject(store, oid);
    return found?.type === 'commit' ? found : undefined;
  } catch (error) {
    // A large blob, which is streamed and never read whole, is no commit.
    if ((error as { code?: unknown }).code === 'too-large') return undefined;
    throw error;
  }
}

/** A page of the commits that a branch, tag or commit leads to; null when there is no such revision. */
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
  // One more than asked for tells whether there is a next page.
  const walked = await historyPage(store, [tip], { skip, limit: limit + 1 });
  const page = walked.slice(0, limit);
  const oids = page.map(({ oid }) => oid);
  // Messages are of any length up to a megabyte; a commit is held with its message beside it.
  for (const { size } of (await statObjects(store, oids)).values()) context.largeValues.take(2 * size);
  const objects = await findObjects(store, oids);
  const nodes = page.map(({ oid }) => {
    const object = objects.get(oid);
    if (!object) throw missingObject(oid);
    return toGitCommit(context, row, object);
  });
  return { nodes, hasNext: walked.length > limit };
}
