import type { Context } from '../../context/context.ts';
import type { GitObject } from '../../git/object.ts';
import { writeObjects } from '../../git/write-objects.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import { recordGrowth } from '../repositories/repository-growth.ts';

/**
 * Objects that nothing points to yet: commits and refs are made of them afterwards. They are stored outside of pushes, which
 * are about refs; who never uses them has left nothing that could be seen.
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
