import { mergeBases, newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { openRepository } from '../../git/repository.ts';
import type { Computation } from '../../workers/computation.ts';
import { formatDiff } from './format-diff.ts';
import { formatPatches } from './format-patch.ts';
import { type FileChange, readChanges } from './read-changes.ts';

/** Two commits; `before` is undefined for the parent of a root commit. */
interface ChangesInput {
  repositoryId: number;
  before: Oid | undefined;
  after: Oid;
}

/** What differs between two commits, by path. */
export const changesComputation: Computation<ChangesInput, FileChange[]> = {
  name: 'changes',
  run: (source, { repositoryId, ...pair }) => readChanges(openRepository(source, repositoryId), pair),
};

/** The same as `git diff` prints it. @throws 406 beyond the limits of a diff */
export const diffComputation: Computation<ChangesInput, string> = {
  name: 'diff',
  run: async (source, { repositoryId, ...pair }) =>
    formatDiff(await readChanges(openRepository(source, repositoryId), pair, { isWhole: true })),
};

/** Commits as mails: see `formatPatches`. */
export const patchesComputation: Computation<{ repositoryId: number; base: Oid | undefined; head: Oid }, string> = {
  name: 'patches',
  run: (source, { repositoryId, ...range }) => formatPatches(openRepository(source, repositoryId), range),
};

/** The newest common ancestor; undefined for unrelated histories. */
export const ancestorComputation: Computation<{ repositoryId: number; one: Oid; other: Oid }, Oid | undefined> = {
  name: 'ancestor',
  run: async (source, { repositoryId, one, other }) =>
    (await mergeBases(openRepository(source, repositoryId), one, other))[0],
};

interface ComparisonInput {
  repositoryId: number;
  base: Oid;
  head: Oid;
  ancestor: Oid;
  /** Of the commits that only the head reaches, oldest first. */
  skip: number;
  limit: number;
  /** 0: the files are not compared. */
  maxFiles: number;
}

interface Comparison {
  aheadBy: number;
  behindBy: number;
  commits: Oid[];
  files: FileChange[];
}

export const comparisonComputation: Computation<ComparisonInput, Comparison> = {
  name: 'comparison',
  async run(source, { repositoryId, base, head, ancestor, skip, limit, maxFiles }) {
    const store = openRepository(source, repositoryId);
    const [ahead, behind] = [await newCommits(store, [head], [base]), await newCommits(store, [base], [head])];
    const page = ahead.reverse().slice(skip, skip + limit);
    const files = maxFiles === 0 ? [] : await readChanges(store, { before: ancestor, after: head }, { maxFiles });
    return { aheadBy: ahead.length, behindBy: behind.length, commits: page.map(({ oid }) => oid), files };
  },
};
