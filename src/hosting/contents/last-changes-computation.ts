import { lastChanges } from '../../git/last-changes.ts';
import type { Oid } from '../../git/object.ts';
import { openRepository } from '../../git/repository.ts';
import type { Computation } from '../../workers/computation.ts';

/** Bounds of the walk for one directory: beyond them an entry has no commit. 8 MB are 20 trees of 10,000 files. */
const bounds = { maxCommits: 2_000, maxTreeBytes: 8 * 1024 * 1024 };

interface LastChangesInput {
  repositoryId: number;
  tip: Oid;
  /** Of the directory, as `pathParts` splits it. */
  parts: readonly string[];
}

/** The newest commit that changed each entry of a directory, by name (bytes as latin1 characters). */
export const lastChangesComputation: Computation<LastChangesInput, ReadonlyMap<string, Oid>> = {
  name: 'last-changes',
  async run(source, { repositoryId, tip, parts }) {
    const nodes = await lastChanges(openRepository(source, repositoryId), tip, parts, bounds);
    return new Map([...nodes].map(([name, { oid }]) => [name, oid]));
  },
};
