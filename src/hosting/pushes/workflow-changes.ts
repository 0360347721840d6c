import { CommitGraph } from '../../git/commit-graph.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { findObjects } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { peelToCommit } from '../../git/revision.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import { readBranchTips } from './branch-tips.ts';
import type { RefChange } from './prepared-push.ts';

/** Commits whose trees are read by one statement. */
const commitsPerRead = 200;

/**
 * Whether new commits change workflow files: those below `<folder>/workflows` in any case, because case-insensitive
 * file systems would run them too. Every new commit counts, not only the last: each can be run. `isThorough`: commits
 * and workflow directories that any branch already contains are not new. Otherwise only the old tip of the ref is
 * compared, which is cheap and seldom wrong.
 */
export async function changesWorkflows(
  repository: Repository,
  changes: readonly RefChange[],
  folder: string,
  { isThorough }: { isThorough: boolean },
): Promise<boolean> {
  let heads: Oid[] | undefined;
  let allowed: ReadonlySet<string> | undefined;
  for (const { old, new: end } of changes) {
    const tip = end === undefined ? undefined : await peelToCommit(repository, end);
    if (tip === undefined) continue;
    const before = old === undefined ? undefined : await peelToCommit(repository, old);
    if (isThorough || before === undefined) heads ??= await readBranchTips(repository);
    const known = isThorough || before === undefined ? [...(heads ?? []), ...(before ? [before] : [])] : [before];
    const added = await listNewCommits(repository, tip, known);
    for (let at = 0; at < added.length; at += commitsPerRead) {
      const group = added.slice(at, at + commitsPerRead);
      const graph = new CommitGraph(repository);
      const parents = new Map<Oid, CommitNode>();
      for (const oid of group.flatMap(one => one.parents)) parents.set(oid, await graph.get(oid));
      const workflows = await readWorkflows(repository, [...group, ...parents.values()], folder);
      const changed = group.filter(
        one => !parentTrees(one, parents).some(tree => workflows.get(tree) === workflows.get(one.tree)),
      );
      if (changed.length === 0) continue;
      if (!isThorough) return true;
      allowed ??= await readBranchWorkflows(repository, heads ?? [], folder);
      if (changed.some(one => !allowed?.has(workflows.get(one.tree) ?? ''))) return true;
    }
  }
  return false;
}

/** The root trees of the parents; a root commit is compared with the empty tree. */
function parentTrees({ parents }: CommitNode, nodes: ReadonlyMap<Oid, CommitNode>): (Oid | undefined)[] {
  return parents.length === 0 ? [undefined] : parents.map(oid => nodes.get(oid)?.tree);
}

async function listNewCommits(repository: Repository, tip: Oid, known: readonly Oid[]): Promise<CommitNode[]> {
  if (known.includes(tip)) return [];
  // The usual push, one commit on top of a known one, needs no walk.
  const node = await new CommitGraph(repository).get(tip);
  if (node.parents.length > 0 && node.parents.every(parent => known.includes(parent))) return [node];
  return newCommits(repository, tip, known);
}

/**
 * The workflow directories of the branches. The absence of workflows is not among them: deleting them all is a change.
 */
async function readBranchWorkflows(
  repository: Repository,
  heads: readonly Oid[],
  folder: string,
): Promise<ReadonlySet<string>> {
  const graph = new CommitGraph(repository);
  const found = new Set<string>();
  for (let at = 0; at < heads.length; at += commitsPerRead) {
    const nodes: CommitNode[] = [];
    for (const oid of heads.slice(at, at + commitsPerRead)) nodes.push(await graph.get(oid));
    for (const one of (await readWorkflows(repository, nodes, folder)).values()) found.add(one);
  }
  return found;
}

/** The workflow files of each tree as a string: equal for equal files, absent for trees without workflows. */
async function readWorkflows(
  repository: Repository,
  commits: readonly CommitNode[],
  folder: string,
): Promise<Map<Oid | undefined, string>> {
  const roots = await entriesNamed(repository, new Set(commits.map(({ tree }) => tree)), folder);
  const folders = [...roots.values()].flat().filter(({ mode }) => entryKind(mode) === 'directory');
  const inner = await entriesNamed(repository, new Set(folders.map(({ oid }) => oid)), 'workflows');
  const found = new Map<Oid | undefined, string>();
  for (const [tree, entries] of roots) {
    const parts = entries.flatMap(({ oid }) => inner.get(oid) ?? []);
    if (parts.length > 0) found.set(tree, parts.map(({ mode, oid }) => `${mode} ${oid}`).join('\n'));
  }
  return found;
}

/** The entries of this name, ignoring case, in each of the trees. */
async function entriesNamed(
  repository: Repository,
  trees: ReadonlySet<Oid>,
  name: string,
): Promise<Map<Oid, TreeEntry[]>> {
  const found = new Map<Oid, TreeEntry[]>();
  for (const [oid, object] of await findObjects(repository, trees)) {
    const isIt = (entry: TreeEntry): boolean => entry.name.toString('latin1').toLowerCase() === name;
    found.set(oid, object.tree.entries.filter(isIt));
  }
  return found;
}
