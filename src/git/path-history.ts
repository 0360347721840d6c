import { CommitGraph } from './commit-graph.ts';
import { CommitDateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import type { CommitNode } from './object-cache.ts';
import type { Repository } from './repository.ts';
import { canonicalMode } from './tree.ts';
import { findEntries } from './tree-path.ts';

/**
 * Number of commits whose trees are read by one statement for each part of the path. It starts small, because most
 * files changed recently.
 */
const readAhead = { first: 8, max: 200 };

export interface PathHistoryOptions {
  /** Maximum number of commits that are visited; the walk then ends without an error. */
  maxCommits?: number;
}

/**
 * The commits that changed a path, in the order and with the history simplification of `git log -- <path>`: when a
 * merge is TREESAME to one of its parents, only that parent is followed. `parts` are those of `pathParts`; none stands
 * for the whole tree.
 */
export async function* pathHistory(
  repository: Repository,
  tip: Oid,
  parts: readonly string[],
  { maxCommits = Number.POSITIVE_INFINITY }: PathHistoryOptions = {},
): AsyncGenerator<CommitNode> {
  const graph = new CommitGraph(repository);
  const states = new PathStates(graph, parts);
  const queue = new CommitDateQueue();
  const seen = new Set<Oid>([tip]);
  queue.push(await graph.get(tip));
  let visited = 0;
  for (let node = queue.pop(); node && visited < maxCommits; node = queue.pop()) {
    visited++;
    const state = await states.get(node);
    const parents: CommitNode[] = [];
    for (const parent of node.parents) parents.push(await graph.get(parent));
    let treeSameParent: CommitNode | undefined;
    for (const parent of parents) {
      if ((await states.get(parent)) !== state) continue;
      treeSameParent = parent;
      break;
    }
    const isChange = parents.length === 0 ? state !== '' : treeSameParent === undefined;
    if (isChange) yield node;
    for (const next of treeSameParent ? [treeSameParent] : parents) {
      if (seen.has(next.oid)) continue;
      seen.add(next.oid);
      queue.push(next);
    }
  }
}

/** The newest commit that changed the path; undefined when there is none within `maxCommits`. */
export async function findLastCommit(
  repository: Repository,
  tip: Oid,
  parts: readonly string[],
  options: PathHistoryOptions = {},
): Promise<CommitNode | undefined> {
  for await (const node of pathHistory(repository, tip, parts, options)) return node;
  return undefined;
}

/**
 * The state of the path in each commit, as a string that is equal when the path is equal; empty when the path does not
 * exist.
 */
class PathStates {
  readonly #graph: CommitGraph;
  readonly #parts: readonly string[];
  readonly #states = new Map<Oid, string>();
  #readAhead = readAhead.first;

  constructor(graph: CommitGraph, parts: readonly string[]) {
    this.#graph = graph;
    this.#parts = parts;
  }

  async get(node: CommitNode): Promise<string> {
    const known = this.#states.get(node.oid);
    if (known !== undefined) return known;
    const nodes = this.#nodesToRead(node);
    if (this.#parts.length === 0) {
      for (const { oid, tree } of nodes) this.#states.set(oid, tree);
      return node.tree;
    }
    const roots = new Set(nodes.map(({ tree }) => tree));
    const entries = await findEntries(this.#graph.repository, roots, this.#parts);
    for (const { oid, tree } of nodes) {
      const entry = entries.get(tree);
      this.#states.set(oid, entry ? `${canonicalMode(entry.mode)} ${entry.oid}` : '');
    }
    this.#readAhead = Math.min(this.#readAhead * 2, readAhead.max);
    return this.#states.get(node.oid) ?? '';
  }

  /** The commit and its cached ancestors, nearest first, whose state is not known yet. */
  #nodesToRead(node: CommitNode): CommitNode[] {
    const nodes = [node];
    const seen = new Set<Oid>([node.oid]);
    for (let at = 0; at < nodes.length && nodes.length < this.#readAhead; at++) {
      for (const oid of nodes[at]?.parents ?? []) {
        const parent = seen.has(oid) ? undefined : this.#graph.getCached(oid);
        if (!parent || this.#states.has(oid)) continue;
        seen.add(oid);
        nodes.push(parent);
      }
    }
    return nodes;
  }
}
