import type { Context } from '../../context/context.ts';
import type { GitObject } from '../../git/object.ts';
import { writeObjects } from '../../git/write-objects.ts';
import { gitProblems } from '../git-problems.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import { recordGrowth } from '../repositories/repository-growth.ts';

/**
 * Stores objects that nothing refers to yet; commits and refs follow in later requests. Pushes, which change refs, are
 * not involved; an unused object stays unreachable.
 * @throws gitProblems.repositoryFull, and what GitError becomes
 */
export function storeObjects(
  context: Pick<Context, 'transaction' | 'now' | 'config'>,
  repositoryId: number,
  objects: readonly GitObject[],
): Promise<void> {
  return translateGitErrors(() =>
    context.transaction(async db => {
      const { bytes } = await writeObjects({ db, repositoryId, now: context.now() }, objects);
      const stored = await recordGrowth(db, { repositoryId, bytes });
      const { REPOSITORY_MAX_MB } = context.config;
      if (stored > REPOSITORY_MAX_MB * 1024 * 1024) throw gitProblems.repositoryFull(REPOSITORY_MAX_MB);
    }),
  );
}
