import { CommitGraph } from '../../git/commit-graph.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import { readBatches } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { peelTags } from '../../git/revision.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import { readBranchTips } from './branch-tips.ts';
import type { RefChange } from './prepared-push.ts';

/** Commits whose trees are read by one statement. */
const commitsPerRead = 200;

/**
 * The changes whose new commits change workflow files: those below `<folder>/workflows` in any case, because case-insensitive
 * file systems would run them too. Every new commit counts, not only the last: each can be run. Commits and workflow directories that
 * any branch already contains are not new, nor is what the ref reached before. One walk for all changes.
 */
export async function findWorkflowChanges(
  repository: Repository,
  changes: readonly RefChange[],
  folder: string,
): Promise<RefChange[]> {
  const tips = await peelChanges(repository, changes);
  const heads = await readBranchTips(repository);
  const added = await listNewCommits(repository, tips, new Set(heads));
  const changed = await changingCommits(repository, added, folder);
  if (changed.length === 0) return [];
  const allowed = await readBranchWorkflows(repository, heads, folder);
  const refused = new Set(changed.flatMap(({ oid, workflows }) => (allowed.has(workflows ?? '') ? [] : [oid])));
  if (refused.size === 0) return [];
  const nodes = new Map(added.map(node => [node.oid, node]));
  const tainted = await descendantsAmong(repository, nodes, refused);
  const found: RefChange[] = [];
  for (const { change, tip, before } of tips) {
    if (!tainted.has(tip)) continue;
    if (before === undefined || (await reachesAny(repository, nodes, { tip, before, wanted: refused })))
      found.push(change);
  }
  return found;
}

/**
 * Whether changes may change workflow files: when not, they do not, and the branches need not be read. Only what the moved branches
 * reached before is compared, which is cheap and seldom wrong.
 */
export async function mayChangeWorkflowFiles(
  repository: Repository,
  changes: readonly RefChange[],
  folder: string,
): Promise<boolean> {
  const tips = await peelChanges(repository, changes);
  const moveBranches = tips.every(({ change }) => change.old !== undefined && change.ref.startsWith('refs/heads/'));
  const isOneMove = tips.length === 1 && tips.every(({ before }) => before !== undefined);
  const known =
    moveBranches || isOneMove ? tips.flatMap(({ before }) => before ?? []) : await readBranchTips(repository);
  const added = await listNewCommits(repository, tips, new Set(known));
  return (await changingCommits(repository, added, folder)).length > 0;
}

/** A change of a ref that ends at a commit. */
interface PeeledChange {
  change: RefChange;
  tip: Oid;
  before: Oid | undefined;
}

async function peelChanges(repository: Repository, changes: readonly RefChange[]): Promise<PeeledChange[]> {
  const moved = changes.filter(({ new: end }) => end !== undefined);
  const peeled = await peelTags(repository, [
    ...new Set(moved.flatMap(({ old, new: end }) => [old, end].filter(oid => oid !== undefined))),
  ]);
  const commitOf = (oid: Oid | undefined): Oid | undefined => {
    const end = oid === undefined ? undefined : peeled.get(oid);
    return end?.type === 'commit' ? end.oid : undefined;
  };
  return moved.flatMap(change => {
    const tip = commitOf(change.new);
    return tip === undefined ? [] : [{ change, tip, before: commitOf(change.old) }];
  });
}

async function listNewCommits(
  repository: Repository,
  changes: readonly PeeledChange[],
  known: ReadonlySet<Oid>,
): Promise<CommitNode[]> {
  const tips = new Set(changes.map(({ tip }) => tip).filter(tip => !known.has(tip)));
  const [only] = tips;
  if (only === undefined) return [];
  if (tips.size === 1) {
    // The usual push, one commit on top of a known one, needs no walk.
    const node = await new CommitGraph(repository).get(only);
    if (node.parents.length > 0 && node.parents.every(parent => known.has(parent))) return [node];
  }
  return newCommits(repository, [...tips], [...known]);
}

/** The commits whose workflow files are those of none of their parents, with these files. */
async function changingCommits(
  repository: Repository,
  commits: readonly CommitNode[],
  folder: string,
): Promise<{ oid: Oid; workflows: string | undefined }[]> {
  const { workBudget } = repository;
  const graph = new CommitGraph(repository);
  const found: { oid: Oid; workflows: string | undefined }[] = [];
  for (let at = 0; at < commits.length; at += commitsPerRead) {
    const group = commits.slice(at, at + commitsPerRead);
    const parents = new Map<Oid, CommitNode>();
    for (const { parents: oids } of group) {
      workBudget.spendSteps(1 + oids.length);
      if (workBudget.isTurnDue) await workBudget.turn();
      for (const oid of oids) if (!parents.has(oid)) parents.set(oid, await graph.get(oid));
    }
    const workflows = await readWorkflows(repository, [...group, ...parents.values()], folder);
    for (const one of group) {
      const own = workflows.get(one.tree);
      const isFromParent = parentTrees(one, parents).some(tree => workflows.get(tree) === own);
      if (!isFromParent) found.push({ oid: one.oid, workflows: own });
    }
  }
  return found;
}

/** Those of `nodes` that reach one of `oids` within `nodes`, the ids themselves included. */
async function descendantsAmong(
  { workBudget }: Repository,
  nodes: ReadonlyMap<Oid, CommitNode>,
  oids: ReadonlySet<Oid>,
): Promise<Set<Oid>> {
  const children = new Map<Oid, Oid[]>();
  for (const { oid, parents } of nodes.values()) {
    workBudget.spendSteps(1 + parents.length);
    if (workBudget.isTurnDue) await workBudget.turn();
    for (const parent of parents) {
      const known = children.get(parent);
      if (known) known.push(oid);
      else if (nodes.has(parent)) children.set(parent, [oid]);
    }
  }
  const reached = new Set(oids);
  // A set yields what is added while it is iterated.
  for (const oid of reached) {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    for (const child of children.get(oid) ?? []) reached.add(child);
  }
  return reached;
}

/** Whether `tip` reaches one of `wanted` that `before` does not reach, within `nodes`. */
async function reachesAny(
  { workBudget }: Repository,
  nodes: ReadonlyMap<Oid, CommitNode>,
  { tip, before, wanted }: { tip: Oid; before: Oid; wanted: ReadonlySet<Oid> },
): Promise<boolean> {
  const reach = async (from: Oid, without: ReadonlySet<Oid>): Promise<Set<Oid>> => {
    const reached = new Set([from]);
    for (const oid of reached) {
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
      for (const parent of nodes.get(oid)?.parents ?? []) {
        if (nodes.has(parent) && !without.has(parent)) reached.add(parent);
      }
    }
    return reached;
  };
  if (!nodes.has(before)) return true;
  const old = await reach(before, new Set());
  if (old.has(tip)) return false;
  for (const oid of await reach(tip, old)) if (wanted.has(oid)) return true;
  return false;
}

/** The trees of the parents; a root commit is compared with the empty tree. */
function parentTrees({ parents }: CommitNode, nodes: ReadonlyMap<Oid, CommitNode>): (Oid | undefined)[] {
  return parents.length === 0 ? [undefined] : parents.map(oid => nodes.get(oid)?.tree);
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
  await graph.preload(heads);
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

/** What the entries of this name, ignoring case, refer to in each of the trees. */
async function entriesNamed(
  repository: Repository,
  trees: ReadonlySet<Oid>,
  name: string,
): Promise<Map<Oid, Pick<TreeEntry, 'mode' | 'oid'>[]>> {
  const named = new Map<Oid, Pick<TreeEntry, 'mode' | 'oid'>[]>();
  const isIt = (entry: TreeEntry): boolean =>
    entry.name.length === name.length && entry.name.toString('latin1').toLowerCase() === name;
  for await (const { found } of readBatches(repository, trees)) {
    for (const [oid, { tree }] of found) {
      // Not the entries, whose names are views of their trees: some of 16 MB would stay in memory.
      named.set(
        oid,
        tree.entries.filter(isIt).map(({ mode, oid: target }) => ({ mode, oid: target })),
      );
    }
  }
  return named;
}
