import { CommitGraph } from './commit-graph.ts';
import type { CommitNode } from './commit-node.ts';
import { CommitDateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import type { Repository } from './repository.ts';

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

/** Flags of a commit during `paintDownToCommon`. */
const fromOne = 1;
const fromOthers = 2;
const stale = 4;
const both = fromOne | fromOthers;

/**
 * Flags the commits that are reachable from `one` and from `others`, newest first, until only common ancestors are
 * left: the algorithm of git's paint_down_to_common().
 */
async function paintDownToCommon(
  repository: Repository,
  one: Oid,
  others: readonly Oid[],
): Promise<{ flags: Map<Oid, number>; common: CommitNode[] }> {
  const graph = new CommitGraph(repository);
  const flags = new Map<Oid, number>();
  const queue = new CommitDateQueue();
  const common: CommitNode[] = [];
  const mark = async (oid: Oid, flag: number): Promise<void> => {
    const before = flags.get(oid) ?? 0;
    if ((before & flag) === flag) return;
    flags.set(oid, before | flag);
    queue.push(await graph.get(oid));
  };
  const hasNonStale = (): boolean => {
    for (const node of queue.nodes()) if (((flags.get(node.oid) ?? 0) & stale) === 0) return true;
    return false;
  };
  await mark(one, fromOne);
  for (const other of others) await mark(other, fromOthers);
  while (hasNonStale()) {
    const node = queue.pop();
    if (!node) break;
    let colour = flags.get(node.oid) ?? 0;
    if ((colour & both) === both && (colour & stale) === 0) {
      if (!common.some(({ oid }) => oid === node.oid)) common.push(node);
      colour |= stale;
    }
    for (const parent of node.parents) await mark(parent, colour);
  }
  return { flags, common: common.filter(({ oid }) => ((flags.get(oid) ?? 0) & stale) === 0) };
}

/** Whether `ancestor` is reachable from `descendant`. A commit is its own ancestor. */
export async function isAncestor(repository: Repository, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { flags } = await paintDownToCommon(repository, ancestor, [descendant]);
  return ((flags.get(ancestor) ?? 0) & fromOthers) !== 0;
}

/** The best common ancestors, newest first: several after criss-cross merges, none for unrelated histories. */
export async function mergeBases(repository: Repository, one: Oid, other: Oid): Promise<Oid[]> {
  if (one === other) return [one];
  const { common } = await paintDownToCommon(repository, one, [other]);
  const best: CommitNode[] = [];
  for (const candidate of common) {
    let isBest = true;
    for (const rival of common) {
      if (rival !== candidate && (await isAncestor(repository, candidate.oid, rival.oid))) isBest = false;
    }
    if (isBest) best.push(candidate);
  }
  return best.sort((a, b) => b.committedAt - a.committedAt).map(({ oid }) => oid);
}

/** Clock skew that `newCommits` tolerates, in seconds: one day. */
const clockSkewSeconds = 86_400;

/**
 * Maximum number of extra commits that are visited because of clock skew. A busy day has many commits, and most clocks
 * are right.
 */
const maxSkewCommits = 2_000;

/**
 * The commits that are reachable from `tip` and from none of `known`, in the order of `git rev-list`: the new commits
 * of a push. The walk ends one day before the oldest new commit, so that old branches in `known` cost nothing.
 */
export async function newCommits(repository: Repository, tip: Oid, known: readonly Oid[]): Promise<CommitNode[]> {
  const graph = new CommitGraph(repository);
  const queue = new CommitDateQueue();
  const queued = new Set<Oid>();
  const flags = new Map<Oid, number>();
  const found: CommitNode[] = [];
  /** New commits that are queued. */
  let pendingNew = 0;
  const mark = async (oid: Oid, flag: number): Promise<void> => {
    const before = flags.get(oid) ?? 0;
    // A commit that is known to be old stays old: that the tip reaches it as well adds no information.
    if ((before & (flag | fromOthers)) !== 0) return;
    flags.set(oid, before | flag);
    if (queued.has(oid)) {
      pendingNew--;
      return;
    }
    queue.push(await graph.get(oid));
    queued.add(oid);
    if (flag === fromOne) pendingNew++;
  };
  for (const one of known) await mark(one, fromOthers);
  await mark(tip, fromOne);
  let oldest = Number.POSITIVE_INFINITY;
  for (let extraSteps = 0; extraSteps < maxSkewCommits && flags.get(tip) === fromOne; ) {
    const node = queue.pop();
    if (!node || (pendingNew === 0 && node.committedAt < oldest - clockSkewSeconds)) break;
    if (pendingNew === 0) extraSteps++;
    queued.delete(node.oid);
    const colour = (flags.get(node.oid) ?? 0) === fromOne ? fromOne : fromOthers;
    if (colour === fromOne) {
      pendingNew--;
      found.push(node);
      oldest = Math.min(oldest, node.committedAt);
    }
    for (const parent of node.parents) await mark(parent, colour);
  }
  return flags.get(tip) === fromOne ? found.filter(({ oid }) => flags.get(oid) === fromOne) : [];
}
