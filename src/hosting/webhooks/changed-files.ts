import { diffTrees } from '../../git/diff-trees.ts';
import type { Oid } from '../../git/object.ts';
import { findObjects, readCommit } from '../../git/read-objects.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import type { Computation } from '../../workers/computation.ts';
import { WorkBudgetError } from '../../workers/work-budget.ts';

/** Maximum files in each list of a commit. */
const maxFiles = 3_000;

/** Paths of the files that a commit changes. */
export interface FileLists {
  added?: string[];
  removed?: string[];
  modified?: string[];
}

/** The changed files of the commits of one payload, while there is work left for them; commits beyond it have no lists. */
export const changedFilesComputation: Computation<{ repositoryId: number; commits: readonly Oid[] }, FileLists[]> = {
  name: 'changed-files',
  async run(source, { repositoryId, commits }) {
    const repository = openRepository(source, repositoryId);
    const lists: FileLists[] = [];
    try {
      for (const oid of commits) lists.push(await listChangedFiles(repository, oid));
    } catch (error) {
      if (!(error instanceof WorkBudgetError)) throw error;
    }
    return lists;
  },
};

/** Files changed against the first parent. */
async function listChangedFiles(repository: Repository, oid: Oid): Promise<FileLists> {
  const commit = await readCommit(repository, oid);
  const [parent] = commit.parents;
  const before = parent === undefined ? undefined : (await findObjects(repository, [parent])).get(parent)?.commit.tree;
  // As many as all lists together may have.
  const differences = await diffTrees(repository, before, commit.tree, { maxFiles: 3 * maxFiles });
  const listed = (isOne: (status: string) => boolean): string[] =>
    differences
      .filter(({ status }) => isOne(status))
      .slice(0, maxFiles)
      .map(({ path }) => Buffer.from(path, 'latin1').toString());
  return {
    added: listed(status => status === 'added'),
    removed: listed(status => status === 'deleted'),
    modified: listed(status => status === 'modified' || status === 'type-changed'),
  };
}
