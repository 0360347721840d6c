import { GitError } from '../../git/git-error.ts';
import type { ObjectType, Oid } from '../../git/object.ts';
import { statObjects } from '../../git/read-objects.ts';
import type { RepositoryInTransaction } from '../../git/repository.ts';
import { maxTagDepth, peelTags } from '../../git/revision.ts';
import type { RefChange } from './prepared-push.ts';

/** Work of a change that is refused: an error has a stack. */
const stepsPerChange = 10;

/**
 * The changes whose refs would point to what they may not, and why: `missing` when the object does not exist; `wrong-type` when a
 * branch would not point to a commit; `too-deep` for more than `maxTagDepth` nested tags.
 */
export async function refTargetProblems(
  repository: RepositoryInTransaction,
  changes: readonly RefChange[],
): Promise<Map<RefChange, GitError>> {
  const types = await targetTypes(repository, changes);
  const tags = [...types].flatMap(([oid, type]) => (type === 'tag' ? [oid] : []));
  const peeled = await peelTags(repository, tags);
  const problems = new Map<RefChange, GitError>();
  const { workBudget } = repository;
  for (const change of changes) {
    const { ref, new: end } = change;
    if (end === undefined) continue;
    workBudget.spendSteps(stepsPerChange);
    if (workBudget.isTurnDue) await workBudget.turn();
    const type = types.get(end);
    if (!type) {
      problems.set(change, new GitError('missing', end, `The repository has no object ${end} for ${ref} to point to.`));
    } else if (ref.startsWith('refs/heads/') && type !== 'commit') {
      const message = `The branch ${ref} can only point to a commit, and ${end} is a ${type}.`;
      problems.set(change, new GitError('wrong-type', end, message));
    } else if (type === 'tag' && !peeled.has(end)) {
      const message = `The tag ${end} leads through more than ${maxTagDepth} tags.`;
      problems.set(change, new GitError('too-deep', end, message));
    }
  }
  return problems;
}

async function targetTypes(
  repository: RepositoryInTransaction,
  changes: readonly RefChange[],
): Promise<Map<Oid, ObjectType>> {
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
  return types;
}
