import { CommitGraph } from './commit-graph.ts';
import { DateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import type { CommitNode } from './object-cache.ts';
import type { Repository } from './repository.ts';
import { canonicalMode } from './tree.ts';
import { entriesAt } from './tree-path.ts';

/** Commits whose trees are read by one statement for each part of the path: few at first, as most files changed lately. */
const ahead = { first: 8, most: 200 };

export interface PathHistoryOptions {
  /** Commits looked at, at most; the walk then just ends. */
  mostCommits?: number;
}

/**
 * The commits that changed a path (parts as of `pathParts`, none for everything), in the order and with the choice of
 * `git log -- <path>`: where a merge left the path as one of its parents had it, only that parent is followed.
 */
export async function* pathHistory(
  repository: Repository,
  tip: Oid,
  parts: readonly string[],
  { mostCommits = Number.POSITIVE_INFINITY }: PathHistoryOptions = {},
): AsyncGenerator<CommitNode> {
  const graph = new CommitGraph(repository);
  const states = new PathStates(graph, parts);
  const queue = new DateQueue();
  const seen = new Set<Oid>([tip]);
  queue.put(await graph.get(tip));
  let looked = 0;
  for (let node = queue.take(); node && looked < mostCommits; node = queue.take()) {
    looked++;
    const state = await states.of(node);
    const parents: CommitNode[] = [];
    for (const parent of node.parents) parents.push(await graph.get(parent));
    let same: CommitNode | undefined;
    for (const parent of parents) {
      if ((await states.of(parent)) !== state) continue;
      same = parent;
      break;
    }
    const isChange = parents.length === 0 ? state !== '' : same === undefined;
    if (isChange) yield node;
    for (const next of same ? [same] : parents) {
      if (seen.has(next.oid)) continue;
      seen.add(next.oid);
      queue.put(next);
    }
  }
}

/** The youngest of them: the last commit that touched the path. Undefined when none did within the bound. */
export async function lastCommitOf(
  repository: Repository,
  tip: Oid,
  parts: readonly string[],
  options: PathHistoryOptions = {},
): Promise<CommitNode | undefined> {
  for await (const node of pathHistory(repository, tip, parts, options)) return node;
  return undefined;
}

/** What stands at the path in each commit, as text that is equal where the path is. Empty: nothing does. */
class PathStates {
  readonly #graph: CommitGraph;
  readonly #parts: readonly string[];
  readonly #states = new Map<Oid, string>();
  #ahead = ahead.first;

  constructor(graph: CommitGraph, parts: readonly string[]) {
    this.#graph = graph;
    this.#parts = parts;
  }

  async of(node: CommitNode): Promise<string> {
    const known = this.#states.get(node.oid);
    if (known !== undefined) return known;
    const nodes = this.#following(node);
    if (this.#parts.length === 0) {
      for (const { oid, tree } of nodes) this.#states.set(oid, tree);
      return node.tree;
    }
    const roots = new Set(nodes.map(({ tree }) => tree));
    const entries = await entriesAt(this.#graph.repository, roots, this.#parts);
    for (const { oid, tree } of nodes) {
      const entry = entries.get(tree);
      this.#states.set(oid, entry ? `${canonicalMode(entry.mode)} ${entry.oid}` : '');
    }
    this.#ahead = Math.min(this.#ahead * 2, ahead.most);
    return this.#states.get(node.oid) ?? '';
  }

  /** The commit and known ones behind it, nearest first, of which nothing is known yet. */
  #following(node: CommitNode): CommitNode[] {
    const nodes = [node];
    const seen = new Set<Oid>([node.oid]);
    for (let at = 0; at < nodes.length && nodes.length < this.#ahead; at++) {
      for (const oid of nodes[at]?.parents ?? []) {
        const parent = seen.has(oid) ? undefined : this.#graph.known(oid);
        if (!parent || this.#states.has(oid)) continue;
        seen.add(oid);
        nodes.push(parent);
      }
    }
    return nodes;
  }
}
