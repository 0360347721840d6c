import type { Computation } from '../../workers/computation.ts';
import { GitError } from '../git-error.ts';
import type { Oid } from '../object.ts';
import type { LoadedObject } from '../object-cache.ts';
import { missingObject } from '../read-objects.ts';
import { openRepository, type Repository } from '../repository.ts';
import { entryKind } from '../tree.ts';
import { maxTreesPerRead, readTrees } from './read-trees.ts';

/** Maximum levels of directories: the default of git's `core.maxTreeDepth`. */
const maxDepth = 2_048;

/** How often a tree occurs at one level, and the bytes of all paths to it, each with its slash. */
interface Occurrences {
  count: number;
  pathBytes: number;
}

/**
 * Spends an object for each entry below a tree, and a byte for each byte of their paths, before an archive begins: an archive that the
 * budget does not allow is refused, not cut. The tree is not walked: each level counts how often its trees occur, so 12 objects that
 * expand to 10^10 files are refused after 12 reads. Entries that .gitattributes excludes count as well.
 *
 * @throws WorkBudgetError; GitError `missing`, `too-deep`
 */
export async function measureTree(repository: Repository, root: Oid): Promise<void> {
  const { workBudget } = repository;
  let level = new Map<Oid, Occurrences>([[root, { count: 1, pathBytes: 0 }]]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > maxDepth) {
      throw new GitError('too-deep', root, `The tree ${root} has more than ${maxDepth} levels of directories.`);
    }
    const below = new Map<Oid, Occurrences>();
    for await (const { oid, tree } of treesOf(repository, [...level.keys()])) {
      const { count, pathBytes } = level.get(oid) as Occurrences;
      let nameBytes = 0;
      for (const { mode, name, oid: child } of tree.entries) {
        const isDirectory = entryKind(mode) === 'directory';
        const length = name.length + (isDirectory ? 1 : 0);
        nameBytes += length;
        if (!isDirectory) continue;
        const known = below.get(child) ?? { count: 0, pathBytes: 0 };
        known.count += count;
        known.pathBytes += pathBytes + count * length;
        below.set(child, known);
      }
      const { length } = tree.entries;
      workBudget.spendObjects(count * length, pathBytes * length + count * nameBytes);
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    level = below;
  }
}

export const measureComputation: Computation<{ repositoryId: number; tree: Oid }, void> = {
  name: 'measure',
  run: (source, { repositoryId, tree }) => measureTree(openRepository(source, repositoryId), tree),
};

/** @throws GitError `missing` */
async function* treesOf(repository: Repository, oids: readonly Oid[]): AsyncGenerator<LoadedObject> {
  const { id, cache } = repository;
  let read = new Map<Oid, LoadedObject>();
  for (const [at, oid] of oids.entries()) {
    let object = cache.getObject(id, oid) ?? read.get(oid);
    if (!object) {
      const wanted = oids.slice(at, at + maxTreesPerRead.trees);
      read = new Map((await readTrees(repository, wanted)).map(one => [one.oid, one]));
      object = read.get(oid);
    }
    if (!object) throw missingObject(oid);
    yield object;
  }
}
