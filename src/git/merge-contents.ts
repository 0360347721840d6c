import { MergeConflict } from './merge-conflict.ts';
import type { GitObject, Oid } from './object.ts';
import { statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { runMergeTree, tooLargeToMerge } from './run-merge-tree.ts';
import { maxScratchBytes, ScratchRepository } from './scratch-repository.ts';
import { canonicalMode, encodeTreeInTurns, entryKind, parseTreeInTurns, type TreeEntry } from './tree.ts';

/** A mode and an id at one path; undefined where the path does not exist. */
export type Side = Pick<TreeEntry, 'mode' | 'oid'> | undefined;
export type Sides = readonly [base: Side, ours: Side, theirs: Side];

/** A file that both sides have changed, and that exists on all of them. */
export interface FileMerge {
  /** Bytes as latin1 characters. */
  path: string;
  sides: Sides;
}

/** Digits of the names that the files have for git. */
const nameLength = 7;

/**
 * The merged files, in their order, and the contents that are not stored yet. git merges three trees that have nothing but these files.
 * @throws MergeConflict; WorkBudgetError
 */
export async function mergeContents(
  repository: Repository,
  merges: readonly FileMerge[],
): Promise<{ files: Side[]; blobs: GitObject[] }> {
  const oids = new Set<Oid>();
  for (const { sides } of merges) {
    for (const side of sides) if (side && entryKind(side.mode) !== 'submodule') oids.add(side.oid);
  }
  const stats = await statObjects(repository, [...oids]);
  const sizes = new Map([...stats].map(([oid, { size }]) => [oid, size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (bytes > maxScratchBytes) throw tooLargeToMerge();
  return ScratchRepository.use(repository, bytes, async scratch => {
    await scratch.copyBlobs(sizes);
    const trees = new Map<Oid, Buffer>();
    const addSide = async (side: 0 | 1 | 2, parents: readonly Oid[]): Promise<Oid> => {
      const entries = merges.flatMap(({ sides }, at): TreeEntry[] => {
        const entry = sides[side];
        return entry
          ? [{ mode: canonicalMode(entry.mode), oid: entry.oid, name: Buffer.from(`${at}`.padStart(nameLength, '0')) }]
          : [];
      });
      const content = await encodeTreeInTurns(entries, repository.workBudget);
      const tree = await scratch.addNew('tree', content);
      trees.set(tree, content);
      return scratch.addCommit({ tree, parents, message: `${side}` });
    };
    const base = await addSide(0, []);
    const tips = [await addSide(1, [base]), await addSide(2, [base])] as const;
    const tree = await runMergeTree(scratch, tips).catch(error => {
      if (!(error instanceof MergeConflict) || error.path === '') throw error;
      throw new MergeConflict(merges[Number.parseInt(error.path, 10)]?.path ?? '', error.message);
    });
    const made = await scratch.readMade();
    const content = trees.get(tree) ?? made.find(({ oid }) => oid === tree)?.content ?? Buffer.alloc(0);
    const { entries } = await parseTreeInTurns(content, tree, repository.workBudget);
    const results = new Set(entries.map(({ oid }) => oid));
    return {
      files: entries.map(({ mode, oid }) => ({ mode, oid })),
      blobs: made.filter(({ oid, type }) => type === 'blob' && results.has(oid)),
    };
  });
}
