import { CommitGraph } from './commit-graph.ts';
import { DateQueue } from './date-queue.ts';
import type { Oid } from './object.ts';
import type { CommitNode } from './object-cache.ts';
import type { Repository } from './repository.ts';

/** Every commit that can be reached from `tips`, once, in the order of `git rev-list`: by date, parents behind children. */
export async function* history(repository: Repository, tips: readonly Oid[]): AsyncGenerator<CommitNode> {
  const graph = new CommitGraph(repository);
  const queue = new DateQueue();
  const seen = new Set<Oid>();
  const put = async (oid: Oid): Promise<void> => {
    if (seen.has(oid)) return;
    seen.add(oid);
    queue.put(await graph.get(oid));
  };
  for (const tip of tips) await put(tip);
  for (let node = queue.take(); node; node = queue.take()) {
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
    for await (const node of history(repository, tips)) {
      if (at++ < skip) continue;
      page.push(node);
      if (page.length === limit) break;
    }
  }
  return page;
}

/** Colours of `paint`. */
const ofOne = 1;
const ofOthers = 2;
const stale = 4;
const both = ofOne | ofOthers;

/** Colours what `one` reaches and what `others` reach, the youngest first, until everything left is known to be common, as git does. */
async function paint(
  repository: Repository,
  one: Oid,
  others: readonly Oid[],
): Promise<{ colours: Map<Oid, number>; common: CommitNode[] }> {
  const graph = new CommitGraph(repository);
  const colours = new Map<Oid, number>();
  const queue = new DateQueue();
  const common: CommitNode[] = [];
  const mark = async (oid: Oid, colour: number): Promise<void> => {
    const before = colours.get(oid) ?? 0;
    if ((before & colour) === colour) return;
    colours.set(oid, before | colour);
    queue.put(await graph.get(oid));
  };
  const isOpen = (): boolean => {
    for (const node of queue.nodes()) if (((colours.get(node.oid) ?? 0) & stale) === 0) return true;
    return false;
  };
  await mark(one, ofOne);
  for (const other of others) await mark(other, ofOthers);
  while (isOpen()) {
    const node = queue.take();
    if (!node) break;
    let colour = colours.get(node.oid) ?? 0;
    if ((colour & both) === both && (colour & stale) === 0) {
      if (!common.some(({ oid }) => oid === node.oid)) common.push(node);
      colour |= stale;
    }
    for (const parent of node.parents) await mark(parent, colour);
  }
  return { colours, common: common.filter(({ oid }) => ((colours.get(oid) ?? 0) & stale) === 0) };
}

/** Whether `ancestor` can be reached from `descendant`. A commit is its own ancestor. */
export async function isAncestor(repository: Repository, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { colours } = await paint(repository, ancestor, [descendant]);
  return ((colours.get(ancestor) ?? 0) & ofOthers) !== 0;
}

/** The best common ancestors, the youngest first; several where branches were merged crosswise, none for strangers. */
export async function mergeBases(repository: Repository, one: Oid, other: Oid): Promise<Oid[]> {
  if (one === other) return [one];
  const { common } = await paint(repository, one, [other]);
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
const skew = 86_400;

/** Commits that are looked at for the sake of wrong clocks at most: a busy day has many, and most clocks are right. */
const mostForSkew = 2_000;

/**
 * The commits that `tip` reaches and none of `known` does, in the order of `git rev-list`: what a push brings. It goes back
 * no further than the oldest new commit and a day, so that known branches which stand far behind cost nothing.
 */
export async function newCommits(repository: Repository, tip: Oid, known: readonly Oid[]): Promise<CommitNode[]> {
  const graph = new CommitGraph(repository);
  const queue = new DateQueue();
  const waiting = new Set<Oid>();
  const colours = new Map<Oid, number>();
  const found: CommitNode[] = [];
  /** New commits that wait. */
  let open = 0;
  const mark = async (oid: Oid, colour: number): Promise<void> => {
    const before = colours.get(oid) ?? 0;
    // What is known stays so: that it is reached from the tip as well tells nothing.
    if ((before & (colour | ofOthers)) !== 0) return;
    colours.set(oid, before | colour);
    if (waiting.has(oid)) {
      open--;
      return;
    }
    queue.put(await graph.get(oid));
    waiting.add(oid);
    if (colour === ofOne) open++;
  };
  for (const one of known) await mark(one, ofOthers);
  await mark(tip, ofOne);
  let oldest = Number.POSITIVE_INFINITY;
  for (let further = 0; further < mostForSkew && colours.get(tip) === ofOne; ) {
    const node = queue.take();
    if (!node || (open === 0 && node.committedAt < oldest - skew)) break;
    if (open === 0) further++;
    waiting.delete(node.oid);
    const colour = (colours.get(node.oid) ?? 0) === ofOne ? ofOne : ofOthers;
    if (colour === ofOne) {
      open--;
      found.push(node);
      oldest = Math.min(oldest, node.committedAt);
    }
    for (const parent of node.parents) await mark(parent, colour);
  }
  return colours.get(tip) === ofOne ? found.filter(({ oid }) => colours.get(oid) === ofOne) : [];
}
