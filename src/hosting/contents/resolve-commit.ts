import { CommitGraph } from '../../git/commit-graph.ts';
import type { Oid } from '../../git/object.ts';
import { hasBranches, readRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { peelToCommit, resolveRevision } from '../../git/revision.ts';
import { followSteps, splitRevision } from '../../git/revision-suffix.ts';
import { gitProblems } from '../git-problems.ts';

/** A commit and its root tree. */
export interface ResolvedCommit {
  commit: Oid;
  tree: Oid;
}

/**
 * Resolves a branch, tag, id or `HEAD`, each also with `~n` and `^n`; empty for the default branch. `tip`: the id of that ref, when
 * the caller has just read it.
 * @throws 404 in the published words: the repository is empty, or has no such commit
 */
export async function resolveCommit(
  repository: Repository,
  ref: string,
  defaultBranch: string,
  tip?: Oid,
): Promise<ResolvedCommit> {
  const revision = splitRevision(ref);
  const found = revision && (tip ?? (await readTip(repository, revision.name, defaultBranch)));
  const named = found === undefined ? undefined : await peelToCommit(repository, found);
  const commit = named && revision ? await followSteps(repository, named, revision.steps) : undefined;
  if (commit === undefined) {
    if (!(await hasBranches(repository))) throw gitProblems.repositoryWithoutContents();
    throw gitProblems.commitAbsent(ref === '' ? defaultBranch : ref);
  }
  // Through the commit graph: its nodes are needed next, and many more of them fit into the cache than commits.
  return { commit, tree: (await new CommitGraph(repository).get(commit)).tree };
}

async function readTip(repository: Repository, ref: string, defaultBranch: string): Promise<Oid | undefined> {
  if (ref === '' || ref === 'HEAD') return readRef(repository, `refs/heads/${defaultBranch}`);
  return (await resolveRevision(repository, ref))?.oid;
}
