import type { Context } from '../../context/context.ts';
import { lockAgainstCollection } from '../../git/collection-lock.ts';
import { copyObjects } from '../../git/copy-objects.ts';
import type { Oid } from '../../git/object.ts';
import type { ObjectTarget } from '../../git/object-rows.ts';
import { statObjects } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { readRef } from '../../git/refs.ts';
import { openInTransaction, openRepository, type Repository } from '../../git/repository.ts';
import { walkObjects } from '../../git/walk-objects.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { gitProblems } from '../git-problems.ts';
import type { StoredObjects } from '../pushes/push-request.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type MergeKind, pushMerge } from './push-merge.ts';

export interface UpstreamMerge {
  row: OwnedRow;
  kind: MergeKind;
  /** Login of the owner of the upstream repository, a colon, and the branch. */
  upstream: string;
  tip: Oid;
}

/**
 * Brings a branch of a fork up to date with the branch of the same name in the repository that it was forked from: by a fast-forward,
 * or by a merge commit where the fork has commits of its own.
 *
 * @throws 422 for a repository that is no fork of one that the caller can read, and for a branch that either of them lacks; 409 for a
 *   conflict, or when rules refuse the push
 */
export async function mergeUpstream(
  context: Context,
  address: RepositoryAddress,
  branch: string,
): Promise<UpstreamMerge> {
  const { row, store } = await openContents(context, address, 'contents:write');
  const parent = row.parentId === null ? null : await repositoryFor(context, { id: row.parentId }, 'contents:read');
  if (!parent) throw gitProblems.notAFork();
  const parentStore = openRepository(context, parent.databaseId);
  const ref = `refs/heads/${branch}`;
  const tips = isBranchName(branch) ? await Promise.all([readRef(store, ref), readRef(parentStore, ref)]) : [];
  const [own, head] = tips;
  if (own === undefined || head === undefined) throw gitProblems.notSyncable(branch);
  const upstream = `${parent.ownerLogin}:${branch}`;
  const isStored = (await statObjects(store, [head])).has(head);
  const { kind, tip } = await pushMerge(context, {
    row,
    branch,
    head,
    message: `Merge branch '${upstream}' into ${branch}`,
    mayFastForward: true,
    ...(isStored ? {} : { store: target => copyHistory(target, { from: parentStore, to: store, tip: head }) }),
  });
  return { row, kind, upstream, tip };
}

/** Copies what a commit reaches in another repository and this one lacks. An object that it has, it has with all that it refers to. */
async function copyHistory(
  target: ObjectTarget,
  { from, to, tip }: { from: Repository; to: Repository; tip: Oid },
): Promise<StoredObjects> {
  await lockAgainstCollection(target.db, from.id);
  const [source, own] = [openInTransaction(target.db, from), openInTransaction(target.db, to)];
  const seen = new Set<Oid>();
  const take = async (oids: Iterable<Oid>): Promise<Oid[]> => {
    const fresh = [...new Set(oids)].filter(oid => !seen.has(oid));
    for (const oid of fresh) seen.add(oid);
    const known = await statObjects(own, fresh);
    return fresh.filter(oid => !known.has(oid));
  };
  const oids: Oid[] = [];
  for await (const { oid } of walkObjects(source, [tip], { take })) oids.push(oid);
  const copied = await copyObjects(target, source, oids);
  return { ...copied, oids, unreachableFrom: async () => [] };
}
