import type { Oid } from './object.ts';
import type { Repository } from './repository.ts';
import { ScratchRepository } from './scratch-repository.ts';
import { encodeTreeInTurns, modes, type TreeEntry } from './tree.ts';

/** Of git's list of numbers: three fields for each pair. */
const bytesPerPair = 64;

/** Two blobs; a side that does not exist is undefined. */
interface BlobPair {
  before: Oid | undefined;
  after: Oid | undefined;
}

/** What differs between two large texts. */
interface LargeDifference {
  additions: number;
  deletions: number;
  /** As `formatHunks`; undefined where there was no room for it. */
  patch: string | undefined;
}

/**
 * What `git diff` says of pairs of blobs of any size, in their order: they are not in the memory of this process. The patches have at most
 * `maxPatchBytes` together.
 * @throws WorkBudgetError, GitError
 */
export async function diffLargeBlobs(
  repository: Repository,
  pairs: readonly BlobPair[],
  sizes: ReadonlyMap<Oid, number>,
  maxPatchBytes: number,
): Promise<LargeDifference[]> {
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return ScratchRepository.use(repository, bytes, async scratch => {
    await scratch.copyBlobs(sizes);
    const treeOf = async (side: 'before' | 'after'): Promise<Oid> => {
      const entries = pairs.flatMap((pair, at): TreeEntry[] => {
        const oid = pair[side];
        return oid === undefined ? [] : [{ mode: modes.file, name: Buffer.from(`${at}`), oid }];
      });
      return scratch.addNew('tree', await encodeTreeInTurns(entries, repository.workBudget));
    };
    const trees = [await treeOf('before'), await treeOf('after')];
    const { output, isCut } = await scratch.run(['diff-tree', '-p', '--numstat', '--no-renames', ...trees], {
      maxOutputBytes: pairs.length * bytesPerPair + maxPatchBytes,
    });
    return parseDifferences(output.toString('latin1'), pairs.length, isCut);
  });
}

/** `text`: bytes as latin1 characters. The numbers come first. A line of a patch never begins with a letter. */
function parseDifferences(text: string, count: number, isCut: boolean): LargeDifference[] {
  const found = Array.from(
    { length: count },
    (): LargeDifference => ({ additions: 0, deletions: 0, patch: undefined }),
  );
  const end = text.indexOf('\n\n');
  for (const line of text.slice(0, end < 0 ? undefined : end).split('\n')) {
    const [additions = '', deletions = '', name = ''] = line.split('\t');
    const one = found[Number(name)];
    if (!one || line === '') continue;
    one.additions = Number(additions);
    one.deletions = Number(deletions);
  }
  const patches = text.split(/^diff --git a\//m).slice(1);
  for (const patch of isCut ? patches.slice(0, -1) : patches) {
    const one = found[Number.parseInt(patch, 10)];
    const start = patch.search(/^@@ /m);
    if (one && start >= 0) one.patch = patch.slice(start);
  }
  return found;
}
