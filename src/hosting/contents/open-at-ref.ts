import type { RawBuilder } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { defaultBranchTipColumn, refTipColumn } from '../../git/revision.ts';
import { splitRevision } from '../../git/revision-suffix.ts';
import { type GitPlace, placeOf } from '../git-data/git-place.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type ResolvedCommit, resolveCommit } from './resolve-commit.ts';

/** A repository that the caller may read, resolved to one commit. */
export interface RepositoryAtRef {
  row: GitPlace;
  repository: Repository;
  resolved: ResolvedCommit;
}

/** SQL: id of the ref that a revision begins with, over `r` (repository); undefined for a revision that begins with no ref. */
export function tipColumn(revision: string): RawBuilder<Buffer | null> | undefined {
  const name = splitRevision(revision)?.name ?? '';
  return name === '' || name === 'HEAD' ? defaultBranchTipColumn : refTipColumn(name);
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
  const row = await repositoryFor(context, address, 'contents:read', undefined, tipColumn(ref));
  return row && placeAtRef(context, row, ref, row.extraColumn?.toString('hex'));
}

/** The same for a loaded repository: without a statement where it was loaded with the decision about its contents and the id of the ref. */
export async function openLoadedAtRef(context: Context, row: OwnedRow, ref: string): Promise<RepositoryAtRef | null> {
  const place = await placeOf(context, row);
  return place && placeAtRef(context, place, ref, row.tip?.revision === ref ? row.tip.oid : undefined);
}

async function placeAtRef(
  context: Context,
  row: GitPlace,
  ref: string,
  tip: Oid | undefined,
): Promise<RepositoryAtRef> {
  const repository = openRepository(context, row.databaseId);
  return { row, repository, resolved: await resolveCommit(repository, ref, row.defaultBranch, tip) };
}
