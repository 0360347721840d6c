import { compareEntries } from './changed-paths.ts';
import { CommitGraph, isIndexed } from './commit-graph.ts';
import type { CommitNode } from './commit-node.ts';
import { CommitDateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import { PathMatcher } from './path-filter.ts';
import { readBatches } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { entryKind } from './tree.ts';
import { findEntries } from './tree-path.ts';

export interface LastChangesOptions {
  /** Maximum number of commits that are visited. */
  maxCommits: number;
  /** Maximum size of the trees that are read, in bytes. */
  maxTreeBytes: number;
}

/**
 * For each entry (bytes as latin1 characters) of the directory at `parts` the newest commit that changed it, as `findLastCommit` finds
 * it: all entries in one walk. An entry goes with the first parent that has the same entry, and is found at the commit all of whose
 * parents differ. Entries whose commit is beyond the limits are absent.
 * @throws WorkBudgetError
 */
export async function lastChanges(
  repository: Repository,
  tip: Oid,
  parts: readonly string[],
  { maxCommits, maxTreeBytes }: LastChangesOptions,
): Promise<Map<string, CommitNode>> {
  const graph = new CommitGraph(repository, { isLong: true });
  const folders = new Folders(graph, parts, maxTreeBytes);
  const found = new Map<string, CommitNode>();
  const queue = new CommitDateQueue();
  /** Entries whose change is looked for at a queued commit and before it. */
  const wanted = new Map<Oid, Set<string>>();
  const pass = (to: CommitNode, names: Set<string>): void => {
    const waiting = wanted.get(to.oid);
    if (waiting) {
      for (const name of names) waiting.add(name);
      repository.workBudget.spendSteps(names.size);
    } else if (names.size > 0) {
      wanted.set(to.oid, names);
      queue.push(to);
    }
  };
  const start = await graph.get(tip);
  pass(start, (await folders.changedNames(undefined, start)) ?? new Set());
  let visited = 0;
  for (let node = queue.pop(); node && visited < maxCommits; node = queue.pop()) {
    visited++;
    let names = wanted.get(node.oid) ?? new Set();
    wanted.delete(node.oid);
    const parents = await graph.parents(node);
    const [first] = parents;
    if (first && (await folders.isUnchanged(node))) {
      pass(first, names);
      continue;
    }
    for (const parent of parents) {
      const changed = await folders.changedNames(parent, node);
      if (!changed) return found;
      const differing = new Set([...changed].filter(name => names.has(name)));
      for (const name of differing) names.delete(name);
      repository.workBudget.spendSteps(changed.size + names.size);
      if (repository.workBudget.isTurnDue) await repository.workBudget.turn();
      pass(parent, names);
      names = differing;
      // Beside further parents, nothing is left to be found.
      if (names.size === 0) break;
    }
    for (const name of names) found.set(name, node);
  }
  return found;
}

/** Commits whose trees are read by one statement for each part of the path. */
const readAhead = { first: 8, max: 200 };

/** The directory in each commit of a walk. */
class Folders {
  readonly #graph: CommitGraph;
  readonly #parts: readonly string[];
  readonly #matcher: PathMatcher;
  /** Trees of the directory by commit; undefined where it does not exist. */
  readonly #trees = new Map<Oid, Oid | undefined>();
  readonly #contents = new Map<Oid, Buffer>();
  #bytesLeft: number;
  #readAhead = readAhead.first;
  /** Whether the index was asked in vain since the last trees were read. */
  #isAheadOfIndex = false;

  constructor(graph: CommitGraph, parts: readonly string[], maxTreeBytes: number) {
    this.#graph = graph;
    this.#parts = parts;
    this.#matcher = new PathMatcher(parts);
    this.#bytesLeft = maxTreeBytes;
  }

  /** Whether the path filter of a commit says that its directory is that of its first parent. */
  async isUnchanged(node: CommitNode): Promise<boolean> {
    if (this.#parts.length === 0) return false;
    if (isIndexed(node) || this.#isAheadOfIndex) return this.#isFilteredOut(node);
    const indexed = await this.#graph.findIndexed(node.oid);
    this.#isAheadOfIndex = !indexed;
    return indexed !== undefined && this.#isFilteredOut(indexed);
  }

  /** Names of the entries that differ. Undefined when the trees are missing, damaged, or more than may be read. */
  async changedNames(before: CommitNode | undefined, after: CommitNode): Promise<Set<string> | undefined> {
    for (const node of [after, before]) if (node && !this.#trees.has(node.oid)) await this.#read(node);
    const [old, current] = [before && this.#trees.get(before.oid), this.#trees.get(after.oid)];
    if (old === current) return new Set();
    if (this.#bytesLeft < 0) return undefined;
    const { workBudget } = this.#graph.repository;
    const differences = await compareEntries(this.#contentOf(old), this.#contentOf(current), workBudget);
    return differences && new Set(differences.map(({ name }) => name));
  }

  #contentOf(tree: Oid | undefined): Buffer | undefined {
    return tree === undefined ? emptyTree : this.#contents.get(tree);
  }

  #isFilteredOut(node: CommitNode): boolean {
    const filter = this.#graph.pathFilter(node);
    return filter !== undefined && !this.#matcher.mayMatch(filter);
  }

  async #read(node: CommitNode): Promise<void> {
    const { repository } = this.#graph;
    const nodes = this.#nodesToRead(node);
    const roots = nodes.map(({ tree }) => tree);
    const entries = this.#parts.length === 0 ? undefined : await findEntries(repository, roots, this.#parts);
    for (const { oid, tree } of nodes) {
      const entry = entries?.get(tree);
      const folder = entry && entryKind(entry.mode) === 'directory' ? entry.oid : undefined;
      this.#trees.set(oid, entries ? folder : tree);
    }
    const wanted = nodes
      .map(({ oid }) => this.#trees.get(oid))
      .filter(tree => tree !== undefined && !this.#contents.has(tree)) as Oid[];
    let largest = 1;
    for await (const { found } of readBatches(repository, wanted)) {
      for (const [oid, { content }] of found) {
        this.#contents.set(oid, content);
        this.#bytesLeft -= content.length;
        largest = Math.max(largest, content.length);
      }
      // The commits that are left are not compared then.
      if (this.#bytesLeft < 0) break;
    }
    this.#readAhead = Math.min(this.#readAhead * 2, readAhead.max, Math.max(2, Math.floor(this.#bytesLeft / largest)));
    this.#isAheadOfIndex = false;
  }

  /** The commit and those of its ancestors in memory, nearest first, that the walk will probably compare. */
  #nodesToRead(node: CommitNode): CommitNode[] {
    const wanted = new Map<Oid, CommitNode>([[node.oid, node]]);
    const nodes = [node];
    const seen = new Set<Oid>([node.oid]);
    for (let at = 0; at < nodes.length && wanted.size < this.#readAhead; at++) {
      const one = nodes[at] as CommitNode;
      const parents = this.#graph.cachedParents(one);
      const isUnchanged = at > 0 && this.#parts.length > 0 && this.#isFilteredOut(one);
      if (!isUnchanged)
        for (const compared of [one, ...parents])
          if (!this.#trees.has(compared.oid)) wanted.set(compared.oid, compared);
      for (const parent of isUnchanged ? parents.slice(0, 1) : parents) {
        if (seen.has(parent.oid)) continue;
        seen.add(parent.oid);
        nodes.push(parent);
      }
    }
    return [...wanted.values()];
  }
}

const emptyTree = Buffer.alloc(0);
