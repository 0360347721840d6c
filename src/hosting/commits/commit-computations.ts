import { mergeBases, newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { openWithAlternate } from '../../git/repository.ts';
import type { Computation } from '../../workers/computation.ts';
import { formatDiff } from './format-diff.ts';
import { formatPatches } from './format-patch.ts';
import { type FileChange, readChanges } from './read-changes.ts';

/** The repository, and a fork of its network that has the newer commit when this one has not. */
interface ComparedRepositories {
  repositoryId: number;
  alternateId?: number | undefined;
}

/** Two commits; `before` is undefined for the parent of a root commit. */
interface ChangesInput extends ComparedRepositories {
  before: Oid | undefined;
  after: Oid;
}

/** What differs between two commits, by path. */
export const changesComputation: Computation<ChangesInput, FileChange[]> = {
  name: 'changes',
  run: (source, { before, after, ...stores }) => readChanges(openWithAlternate(source, stores), { before, after }),
};

/** The same as `git diff` prints it. @throws 406 beyond the limits of a diff */
export const diffComputation: Computation<ChangesInput, string> = {
  name: 'diff',
  run: async (source, { before, after, ...stores }) =>
    formatDiff(await readChanges(openWithAlternate(source, stores), { before, after }, { isWhole: true })),
};

interface PatchesInput extends ComparedRepositories {
  base: Oid | undefined;
  head: Oid;
}

/** Commits as mails: see `formatPatches`. */
export const patchesComputation: Computation<PatchesInput, string> = {
  name: 'patches',
  run: (source, { base, head, ...stores }) => formatPatches(openWithAlternate(source, stores), { base, head }),
};

/** The newest common ancestor; undefined for unrelated histories. */
export const ancestorComputation: Computation<ComparedRepositories & { one: Oid; other: Oid }, Oid | undefined> = {
  name: 'ancestor',
  run: async (source, { one, other, ...stores }) =>
    (await mergeBases(openWithAlternate(source, stores), one, other))[0],
};

interface ComparisonInput extends ComparedRepositories {
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
  async run(source, { base, head, ancestor, skip, limit, maxFiles, ...stores }) {
    const store = openWithAlternate(source, stores);
    const [ahead, behind] = [await newCommits(store, [head], [base]), await newCommits(store, [base], [head])];
    const page = ahead.reverse().slice(skip, skip + limit);
    const files = maxFiles === 0 ? [] : await readChanges(store, { before: ancestor, after: head }, { maxFiles });
    return { aheadBy: ahead.length, behindBy: behind.length, commits: page.map(({ oid }) => oid), files };
  },
};
