import { CommitGraph, isIndexed } from './commit-graph.ts';
import type { CommitNode } from './commit-node.ts';
import { CommitDateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import { PathMatcher } from './path-filter.ts';
import type { Repository } from './repository.ts';
import { canonicalMode } from './tree.ts';
import { findCachedEntry, findEntries } from './tree-path.ts';

/**
 * Number of commits whose trees are read by one statement for each part of the path. It starts small, because most
 * files changed recently.
 */
const readAhead = { first: 8, max: 200 };

/** Commits that are looked through for each one whose trees are read: most do not change the path. */
const scannedPerRead = 64;

export interface PathHistoryOptions {
  /** Maximum number of commits that are visited; the walk then ends without an error. Without it, the work budget is the limit. */
  maxCommits?: number;
  /** Maximum number of commits without a path filter that are visited, whose trees are read; the walk ends with `onUnindexed`. */
  maxUnindexed?: number;
  onUnindexed?(): void;
}

/**
 * The commits that changed a path, in the order and with the history simplification of `git log -- <path>`: when a
 * merge is TREESAME to one of its parents, only that parent is followed. `parts` are those of `pathParts`; none stands
 * for the whole tree. The trees of an indexed commit are read only if its path filter says that it may have changed the
 * path.
 */
export async function* pathHistory(
  repository: Repository,
  tip: Oid,
  parts: readonly string[],
  {
    maxCommits = Number.POSITIVE_INFINITY,
    maxUnindexed = Number.POSITIVE_INFINITY,
    onUnindexed,
  }: PathHistoryOptions = {},
): AsyncGenerator<CommitNode> {
  const graph = new CommitGraph(repository, { isLong: true });
  const states = new PathStates(graph, parts);
  const queue = new CommitDateQueue();
  const seen = new Set<Oid>([tip]);
  queue.push(await graph.get(tip));
  let visited = 0;
  let unindexed = 0;
  for (let node = queue.pop(); node && visited < maxCommits; node = queue.pop()) {
    visited++;
    if (!isIndexed(node) && ++unindexed > maxUnindexed) {
      onUnindexed?.();
      return;
    }
    const parents = await graph.parents(node);
    const sameParent = await states.findSameParent(node, parents);
    const isChange = parents.length === 0 ? await states.exists(node) : sameParent === undefined;
    if (isChange) yield node;
    for (const next of sameParent ? [sameParent] : parents) {
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
  readonly #matcher: PathMatcher;
  readonly #states = new Map<Oid, string>();
  #readAhead = readAhead.first;
  /** Whether the index was asked in vain since the last trees were read: the commits in between are newer than the index. */
  #isAheadOfIndex = false;

  constructor(graph: CommitGraph, parts: readonly string[]) {
    this.#graph = graph;
    this.#parts = parts;
    this.#matcher = new PathMatcher(parts);
  }

  /** The first parent with the same state. */
  async findSameParent(node: CommitNode, parents: readonly CommitNode[]): Promise<CommitNode | undefined> {
    const [first] = parents;
    if (!first || (await this.#isUnchanged(node))) return first;
    const state = await this.#get(node);
    for (const parent of parents) if ((await this.#get(parent)) === state) return parent;
    return undefined;
  }

  /** Whether the path exists in a commit without parents. */
  async exists(root: CommitNode): Promise<boolean> {
    return !(await this.#isUnchanged(root)) && (await this.#get(root)) !== '';
  }

  /** Whether the filter of the commit says that it does not change the path. */
  async #isUnchanged(node: CommitNode): Promise<boolean> {
    if (isIndexed(node) || this.#getCached(node) !== undefined || this.#isAheadOfIndex)
      return this.#isFilteredOut(node);
    // Trees would have to be read: the index may say that they need not be.
    const indexed = await this.#graph.findIndexed(node.oid);
    this.#isAheadOfIndex = !indexed;
    return indexed !== undefined && this.#isFilteredOut(indexed);
  }

  #isFilteredOut(node: CommitNode): boolean {
    if (this.#parts.length === 0) return false;
    const filter = this.#graph.pathFilter(node);
    return filter !== undefined && !this.#matcher.mayMatch(filter);
  }

  async #get(node: CommitNode): Promise<string> {
    const known = this.#getCached(node);
    if (known !== undefined) return known;
    const nodes = this.#nodesToRead(node);
    const roots = new Set(nodes.map(({ tree }) => tree));
    const entries = await findEntries(this.#graph.repository, roots, this.#parts);
    for (const { oid, tree } of nodes) this.#states.set(oid, stateOf(entries.get(tree)));
    this.#readAhead = Math.min(this.#readAhead * 2, readAhead.max);
    this.#isAheadOfIndex = false;
    return this.#states.get(node.oid) ?? '';
  }

  /** The state, if it can be told without reading the database. */
  #getCached(node: CommitNode): string | undefined {
    const known = this.#states.get(node.oid);
    if (known !== undefined) return known;
    if (this.#parts.length === 0) return node.tree;
    const entry = findCachedEntry(this.#graph.repository, node.tree, this.#parts);
    if (entry === undefined) return undefined;
    const state = stateOf(entry ?? undefined);
    this.#states.set(node.oid, state);
    return state;
  }

  /**
   * The commit and those of its ancestors in memory, nearest first, whose state is not known yet and which the walk will
   * probably compare.
   */
  #nodesToRead(node: CommitNode): CommitNode[] {
    const wanted = new Map<Oid, CommitNode>([[node.oid, node]]);
    const isWanted = ({ oid }: CommitNode): boolean => !this.#states.has(oid);
    const nodes = [node];
    const seen = new Set<Oid>([node.oid]);
    const maxScanned = this.#readAhead * scannedPerRead;
    for (let at = 0; at < nodes.length && at < maxScanned && wanted.size < this.#readAhead; at++) {
      const one = nodes[at] as CommitNode;
      const parents = this.#graph.cachedParents(one);
      const isUnchanged = at > 0 && this.#isFilteredOut(one);
      if (!isUnchanged) for (const compared of [one, ...parents].filter(isWanted)) wanted.set(compared.oid, compared);
      for (const parent of isUnchanged ? parents.slice(0, 1) : parents) {
        if (seen.has(parent.oid)) continue;
        seen.add(parent.oid);
        nodes.push(parent);
      }
    }
    return [...wanted.values()];
  }
}

function stateOf(entry: { mode: string; oid: Oid } | undefined): string {
  return entry ? `${canonicalMode(entry.mode)} ${entry.oid}` : '';
}
