import { CommitGraph } from '../../git/commit-graph.ts';
import type { Oid } from '../../git/object.ts';
import { hasBranches, readRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { peelToCommit, resolveRevision } from '../../git/revision.ts';
import { gitProblems } from '../git-problems.ts';

/** A commit and its root tree. */
export interface ResolvedCommit {
  commit: Oid;
  tree: Oid;
}

/**
 * Resolves a ref, empty for the default branch. `tip`: the id of that ref, when the caller has just read it.
 * @throws 404 in the published words: the repository is empty, or has no such commit
 */
export async function resolveCommit(
  repository: Repository,
  ref: string,
  defaultBranch: string,
  tip?: Oid,
): Promise<ResolvedCommit> {
  const found = tip ?? (await readTip(repository, ref, defaultBranch));
  const commit = found === undefined ? undefined : await peelToCommit(repository, found);
  if (commit === undefined) {
    if (!(await hasBranches(repository))) throw gitProblems.repositoryWithoutContents();
    throw gitProblems.commitAbsent(ref === '' ? defaultBranch : ref);
  }
  // Through the commit graph: its nodes are needed next, and many more of them fit into the cache than commits.
  return { commit, tree: (await new CommitGraph(repository).get(commit)).tree };
}

async function readTip(repository: Repository, ref: string, defaultBranch: string): Promise<Oid | undefined> {
  if (ref === '') return readRef(repository, `refs/heads/${defaultBranch}`);
  return (await resolveRevision(repository, ref))?.oid;
}
