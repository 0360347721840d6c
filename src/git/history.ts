import { CommitGraph } from './commit-graph.ts';
import { CommitDateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import type { CommitNode } from './object-cache.ts';
import type { Repository } from './repository.ts';

/** Every commit that can be reached from `tips`, once, in the order of `git rev-list`: by date, parents behind children. */
export async function* walkHistory(repository: Repository, tips: readonly Oid[]): AsyncGenerator<CommitNode> {
  const graph = new CommitGraph(repository);
  const queue = new CommitDateQueue();
  const seen = new Set<Oid>();
  const put = async (oid: Oid): Promise<void> => {
    if (seen.has(oid)) return;
    seen.add(oid);
    queue.push(await graph.get(oid));
  };
  for (const tip of tips) await put(tip);
  for (let node = queue.pop(); node; node = queue.pop()) {
    yield node;
    for (const parent of node.parents) await put(parent);
  }
}

/** `limit` of them from number `skip` on. Pages are cheap as long as the commits are in the cache. */
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

/** Colours of `paint`. */
const fromOne = 1;
const fromOthers = 2;
const stale = 4;
const both = fromOne | fromOthers;

/** Colours what `one` reaches and what `others` reach, the youngest first, until everything left is known to be common, as git does. */
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

/** Whether `ancestor` can be reached from `descendant`. A commit is its own ancestor. */
export async function isAncestor(repository: Repository, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { flags } = await paintDownToCommon(repository, ancestor, [descendant]);
  return ((flags.get(ancestor) ?? 0) & fromOthers) !== 0;
}

/** The best common ancestors, the youngest first; several where branches were merged crosswise, none for strangers. */
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

/** How wrong a clock may have been without a commit being taken for new by `newCommits`: a day, in seconds. */
const clockSkewSeconds = 86_400;

/** Commits that are looked at for the sake of wrong clocks at most: a busy day has many, and most clocks are right. */
const maxSkewCommits = 2_000;

/**
 * The commits that `tip` reaches and none of `known` does, in the order of `git rev-list`: what a push brings. It goes back
 * no further than the oldest new commit and a day, so that known branches which stand far behind cost nothing.
 */
export async function newCommits(repository: Repository, tip: Oid, known: readonly Oid[]): Promise<CommitNode[]> {
  const graph = new CommitGraph(repository);
  const queue = new CommitDateQueue();
  const queued = new Set<Oid>();
  const flags = new Map<Oid, number>();
  const found: CommitNode[] = [];
  /** New commits that wait. */
  let pendingNew = 0;
  const mark = async (oid: Oid, flag: number): Promise<void> => {
    const before = flags.get(oid) ?? 0;
    // What is known stays so: that it is reached from the tip as well tells nothing.
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
