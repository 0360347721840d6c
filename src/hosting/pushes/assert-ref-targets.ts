import { GitError } from '../../git/git-error.ts';
import type { ObjectType, Oid } from '../../git/object.ts';
import { statObjects } from '../../git/read-objects.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import { maxTagDepth, peelTags } from '../../git/revision.ts';
import type { RefChange } from './prepared-push.ts';

/**
 * Checks what the changed refs point to.
 * @throws GitError `missing` when the object does not exist; `wrong-type` when a branch would not point to a commit;
 *   `too-deep` for more than `maxTagDepth` nested tags
 */
export async function assertRefTargets(
  repository: RepositoryInTransaction,
  changes: readonly RefChange[],
): Promise<void> {
  const types = new Map<Oid, ObjectType>();
  const unknown = new Set<Oid>();
  for (const { new: end } of changes) {
    if (end === undefined) continue;
    // Not the cache of the process, which may have what garbage collection has deleted.
    const known = repository.cache.getOwnObject(end);
    if (known) types.set(end, known.type);
    else unknown.add(end);
  }
  for (const [oid, { type }] of await statObjects(repository, [...unknown])) types.set(oid, type);
  for (const { ref, new: end } of changes) {
    if (end === undefined) continue;
    const type = types.get(end);
    if (!type) throw new GitError('missing', end, `The repository has no object ${end} for ${ref} to point to.`);
    if (ref.startsWith('refs/heads/') && type !== 'commit') {
      throw new GitError('wrong-type', end, `The branch ${ref} can only point to a commit, and ${end} is a ${type}.`);
    }
  }
  const tags = [...types].flatMap(([oid, type]) => (type === 'tag' ? [oid] : []));
  const peeled = await peelTags(repository, tags);
  const endless = tags.find(oid => !peeled.has(oid));
  if (endless === undefined) return;
  throw new GitError('too-deep', endless, `The tag ${endless} leads through more than ${maxTagDepth} tags.`);
}
