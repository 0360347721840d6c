import type { Context } from '../../context/context.ts';
import type { GitObject } from '../../git/object.ts';
import { writeObjects } from '../../git/write-objects.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import { recordGrowth } from '../repositories/repository-growth.ts';

/**
 * Stores objects that nothing refers to yet; commits and refs follow in later requests. Pushes, which change refs, are
 * not involved; an unused object stays unreachable.
 */
export function storeObjects(
  context: Pick<Context, 'transaction' | 'now'>,
  repositoryId: number,
  objects: readonly GitObject[],
): Promise<void> {
  return translateGitErrors(() =>
    context.transaction(async db => {
      const { bytes } = await writeObjects({ db, repositoryId, now: context.now() }, objects);
      await recordGrowth(db, { repositoryId, bytes });
    }),
  );
}
