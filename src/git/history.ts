import { CommitGraph, isIndexed } from './commit-graph.ts';
import type { CommitNode } from './commit-node.ts';
import { maxIndexedParents } from './commit-segment.ts';
import { CommitDateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import type { Repository } from './repository.ts';

/**
 * Steps that a visited commit costs beside those of its parents: with what a walk remembers of it, it takes some 300 bytes, so that the
 * 20 million steps of a request are a million and a half of commits.
 */
const stepsPerCommit = 10;

/** Every commit that is reachable from `tips`, once, in the order of `git rev-list`: newest first by committer date. */
export async function* walkHistory(repository: Repository, tips: readonly Oid[]): AsyncGenerator<CommitNode> {
  const graph = new CommitGraph(repository);
  const queue = new CommitDateQueue();
  const seen = new Set<Oid>();
  const put = (node: CommitNode): void => {
    if (seen.has(node.oid)) return;
    seen.add(node.oid);
    queue.push(node);
  };
  for (const tip of tips) put(await graph.get(tip));
  for (let node = queue.pop(); node; node = queue.pop()) {
    yield node;
    repository.workBudget.spendSteps(stepsPerCommit);
    for (const parent of await graph.parents(node)) put(parent);
  }
}

/** Up to `limit` commits after the first `skip`. A page is cheap while the commits are in the cache. */
export async function historyPage(
  repository: Repository,
  tips: readonly Oid[],
  { skip, limit }: { skip: number; limit: number },
): Promise<CommitNode[]> {
  const page: CommitNode[] = [];
  let at = 0;
  if (limit > 0) {
    for await (const node of walkHistory(repository, tips)) {
      if (at++ < skip) continue;
      page.push(node);
      if (page.length === limit) break;
    }
  }
  return page;
}

/** Flags of a commit during a walk. */
const fromOne = 1;
const fromOthers = 2;
const stale = 4;
const both = fromOne | fromOthers;

/**
 * Flags the commits that are reachable from one and from other commits, newest first, until only common ancestors are left: the
 * algorithm of git's paint_down_to_common(). Each commit is in the queue at most once, and is visited at most once for each flag.
 */
class Painting {
  readonly graph: CommitGraph;
  readonly flags = new Map<Oid, number>();
  readonly #queue = new CommitDateQueue();
  readonly #queued = new Set<Oid>();
  /** Queued commits that are not stale. */
  #fresh = 0;
  /** Commits that both sides reached first, in this walk. */
  readonly #common = new Map<Oid, CommitNode>();

  constructor(repository: Repository) {
    this.graph = new CommitGraph(repository);
  }

  /** Common commits that are reachable from no other one of them, as far as the walk has come. */
  get common(): CommitNode[] {
    return [...this.#common.values()].filter(({ oid }) => !this.#has(oid, stale));
  }

  #has(oid: Oid, flag: number): boolean {
    return ((this.flags.get(oid) ?? 0) & flag) !== 0;
  }

  mark(node: CommitNode, flag: number): void {
    const before = this.flags.get(node.oid) ?? 0;
    if ((before & flag) === flag) return;
    this.flags.set(node.oid, before | flag);
    const isStale = ((before | flag) & stale) !== 0;
    if (this.#queued.has(node.oid)) {
      if (isStale && (before & stale) === 0) this.#fresh--;
      return;
    }
    this.#queue.push(node);
    this.#queued.add(node.oid);
    if (!isStale) this.#fresh++;
  }

  async run(): Promise<void> {
    while (this.#fresh > 0) await this.#visitNext(() => true);
  }

  /**
   * Goes on until no common commit can be reached from a stale one that is still queued: by the order of dates alone, a wrong date hides
   * it. The positions of indexed commits end the search, since ancestors have lower ones; otherwise it visits the whole history.
   */
  async settleCommon(): Promise<void> {
    const { common } = this;
    const newest = common[0];
    if (!newest || common.length < 2) return;
    // Reads the segments around them, once: the commits of the queue are then found in these.
    await this.graph.findIndexed(newest.oid);
    let lowest = Number.POSITIVE_INFINITY;
    for (const { oid, parents } of common) {
      const node = this.graph.getCached(oid);
      // A commit with many parents is in no segment, and may have children that are.
      if (node && isIndexed(node)) lowest = Math.min(lowest, node.position);
      else if (parents.length > maxIndexedParents) lowest = -1;
    }
    const mayReach = (queued: CommitNode): boolean => {
      const node = this.graph.getCached(queued.oid) ?? queued;
      return !isIndexed(node) || node.position > lowest;
    };
    while (this.#queue.size > 0) await this.#visitNext(mayReach);
  }

  async #visitNext(isVisited: (node: CommitNode) => boolean): Promise<void> {
    const node = this.#queue.pop();
    if (!node) return;
    this.#queued.delete(node.oid);
    this.graph.repository.workBudget.spendSteps(stepsPerCommit);
    let colour = this.flags.get(node.oid) ?? 0;
    if ((colour & stale) === 0) {
      this.#fresh--;
      if ((colour & both) === both) {
        this.#common.set(node.oid, node);
        colour |= stale;
      }
    }
    if (!isVisited(node)) return;
    for (const parent of await this.graph.parents(node)) this.mark(parent, colour);
  }
}

async function paint(repository: Repository, one: Oid, others: readonly Oid[]): Promise<Painting> {
  const painting = new Painting(repository);
  painting.mark(await painting.graph.get(one), fromOne);
  for (const other of others) painting.mark(await painting.graph.get(other), fromOthers);
  await painting.run();
  return painting;
}

/** Whether `ancestor` is reachable from `descendant`. A commit is its own ancestor. @throws WorkBudgetError */
export async function isAncestor(repository: Repository, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { flags } = await paint(repository, ancestor, [descendant]);
  return ((flags.get(ancestor) ?? 0) & fromOthers) !== 0;
}

/**
 * The best common ancestors, newest first: several after criss-cross merges, none for unrelated histories.
 * @throws WorkBudgetError
 */
export async function mergeBases(repository: Repository, one: Oid, other: Oid): Promise<Oid[]> {
  if (one === other) return [one];
  const painting = await paint(repository, one, [other]);
  await painting.settleCommon();
  return painting.common.sort((a, b) => b.committedAt - a.committedAt).map(({ oid }) => oid);
}

/** Clock skew that `newCommits` tolerates, in seconds: one day. */
const clockSkewSeconds = 86_400;

/**
 * Maximum number of extra commits that are visited because of clock skew. A busy day has many commits, and most clocks
 * are right.
 */
const maxSkewCommits = 2_000;

/**
 * The commits that are reachable from any of `tips` and from none of `known`, in the order of `git rev-list`: the new commits
 * of a push, all of whose refs are one walk. The walk ends one day before the oldest new commit, so that old branches in `known` cost
 * nothing.
 * @throws WorkBudgetError
 */
export async function newCommits(
  repository: Repository,
  tips: readonly Oid[],
  known: readonly Oid[],
): Promise<CommitNode[]> {
  const { workBudget } = repository;
  const graph = new CommitGraph(repository);
  const queue = new CommitDateQueue();
  const queued = new Set<Oid>();
  const flags = new Map<Oid, number>();
  const found: CommitNode[] = [];
  const newTips = new Set(tips);
  /** New commits that are queued. */
  let pendingNew = 0;
  const mark = (node: CommitNode, flag: number): void => {
    const before = flags.get(node.oid) ?? 0;
    // A commit that is known to be old stays old: that a tip reaches it as well adds no information.
    if ((before & (flag | fromOthers)) !== 0) return;
    flags.set(node.oid, before | flag);
    if (flag === fromOthers) newTips.delete(node.oid);
    if (queued.has(node.oid)) {
      pendingNew--;
      return;
    }
    queue.push(node);
    queued.add(node.oid);
    if (flag === fromOne) pendingNew++;
  };
  if (known.length + tips.length > 2) await graph.preload([...known, ...tips]);
  const begin = async (oids: readonly Oid[], flag: number): Promise<void> => {
    for (const oid of oids) {
      mark(await graph.get(oid), flag);
      workBudget.spendSteps(stepsPerCommit);
      if (workBudget.isTurnDue) await workBudget.turn();
    }
  };
  await begin(known, fromOthers);
  await begin(tips, fromOne);
  let oldest = Number.POSITIVE_INFINITY;
  for (let extraSteps = 0; extraSteps < maxSkewCommits && newTips.size > 0; ) {
    const node = queue.pop();
    if (!node || (pendingNew === 0 && node.committedAt < oldest - clockSkewSeconds)) break;
    if (pendingNew === 0) extraSteps++;
    queued.delete(node.oid);
    workBudget.spendSteps(stepsPerCommit);
    const colour = (flags.get(node.oid) ?? 0) === fromOne ? fromOne : fromOthers;
    if (colour === fromOne) {
      pendingNew--;
      found.push(node);
      oldest = Math.min(oldest, node.committedAt);
    }
    for (const parent of await graph.parents(node)) mark(parent, colour);
  }
  return newTips.size > 0 ? found.filter(({ oid }) => flags.get(oid) === fromOne) : [];
}
