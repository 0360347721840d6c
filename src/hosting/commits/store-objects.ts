import type { Context } from '../../context/context.ts';
import { lockAgainstCollection } from '../../git/collection-lock.ts';
import type { GitObject, ObjectType, Oid } from '../../git/object.ts';
import { assertShape } from '../../git/object-shape.ts';
import { assertStored } from '../../git/reachable.ts';
import { openInTransaction, openRepository } from '../../git/repository.ts';
import { writeObjects } from '../../git/write-objects.ts';
import { gitProblems } from '../git-problems.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import { shapeLimits } from '../pushes/push-rights.ts';
import { recordGrowth } from '../repositories/repository-growth.ts';

/**
 * Stores objects that nothing refers to yet; commits and refs follow in later requests. Pushes, which change refs, are
 * not involved; an unused object stays unreachable. `links` are stored objects that the new ones refer to: the caller has
 * found them, and they are looked for again under the lock that keeps garbage collection away.
 * @throws gitProblems.repositoryFull, and what GitError becomes: 422 for an object beyond the limits of its shape
 */
export function storeObjects(
  context: Pick<Context, 'read' | 'workBudget' | 'transaction' | 'now' | 'config'>,
  repositoryId: number,
  objects: readonly GitObject[],
  links: ReadonlyMap<Oid, ObjectType> = new Map(),
): Promise<void> {
  return translateGitErrors(async () => {
    const limits = shapeLimits(context.config);
    for (const object of objects) assertShape(object, limits);
    await context.transaction(async db => {
      await lockAgainstCollection(db, repositoryId);
      if (links.size > 0) await assertStored(openInTransaction(db, openRepository(context, repositoryId)), links);
      const { bytes } = await writeObjects({ db, repositoryId, now: context.now() }, objects);
      const stored = await recordGrowth(db, { repositoryId, bytes });
      const { REPOSITORY_MAX_MB } = context.config;
      if (stored > REPOSITORY_MAX_MB * 1024 * 1024) throw gitProblems.repositoryFull(REPOSITORY_MAX_MB);
    });
  });
}
