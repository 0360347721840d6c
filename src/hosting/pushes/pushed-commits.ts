import { sql } from 'kysely';
import { CommitGraph } from '../../git/commit-graph.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { CommitDateQueue } from '../../git/date-queue.ts';
import { newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import type { PreparedPush, RefChange } from './prepared-push.ts';
import { reachableCommitsAmong } from './reachable-commits-among.ts';

/** The commits that a push adds to one branch. */
export interface PushedCommits {
  /** Number of commits that the branch did not reach before; for a new branch, those that no other branch reaches. */
  size: number;
  /** Number of those that no other branch reached before. */
  distinctSize: number;
  /** The newest of them, at most `limit`, oldest first. */
  newest(limit: number): PushedCommit[];
}

export interface PushedCommit {
  oid: Oid;
  /** Whether no other branch reached it before the push, and no earlier change of the same push contains it. */
  isDistinct: boolean;
}

/** A branch that the push creates or moves. */
type BranchChange = RefChange & { new: Oid };

/** Maximum number of other branches that are compared: those with the newest tips. */
const maxBranches = 1_000;

const none: PushedCommits = { size: 0, distinctSize: 0, newest: () => [] };
/** The clock skew that `newCommits` tolerates, in seconds. */
const clockSkewSeconds = 86_400;

const resultsByPush = new WeakMap<PreparedPush, Promise<Map<RefChange, PushedCommits>>>();
const resultByChange = new WeakMap<RefChange, Promise<PushedCommits>>();

/**
 * The commits of one change of a push; empty for deleted refs and refs that are not branches. Must be called after the
 * refs have moved. Computed once per push, for all its changes together, however many steps ask.
 */
export function pushedCommits(push: PreparedPush, change: RefChange): Promise<PushedCommits> {
  let result = resultByChange.get(change);
  if (!result) {
    let results = resultsByPush.get(push);
    if (!results) {
      results = countCommits(push);
      resultsByPush.set(push, results);
    }
    result = results.then(all => all.get(change) ?? none);
    resultByChange.set(change, result);
  }
  return result;
}

async function countCommits(push: PreparedPush): Promise<Map<RefChange, PushedCommits>> {
  const moved = push.changes.filter(
    (change): change is BranchChange => change.new !== undefined && change.ref.startsWith('refs/heads/'),
  );
  const [only, ...others] = moved;
  if (!only) return new Map();
  if (others.length === 0) {
    const { commits, frontier } = await walkNewCommits(push, only.new);
    // The usual push: new commits on top of the old tip.
    if ([...frontier].every(oid => oid === only.old)) return new Map([[only, toPushedCommits(commits, () => true)]]);
  }
  return countTogether(push, moved);
}

/**
 * One walk finds the commits that no branch reached before. Each belongs to the first change that contains it, so that the changes
 * divide them.
 */
async function countTogether(
  push: PreparedPush,
  moved: readonly BranchChange[],
): Promise<Map<RefChange, PushedCommits>> {
  const reached = await reachedByUpdates(push, moved);
  const isAllOld = moved.every(change => reached.get(change)?.length === 0);
  if (isAllOld) return new Map();
  const known = await knownTips(push, sinceOf(moved, reached));
  const fresh = new Map<Oid, CommitNode>();
  const tips = new Set(moved.map(change => change.new));
  for (const node of await newCommits(push.repository, [...tips], [...known])) fresh.set(node.oid, node);
  const results = new Map<RefChange, PushedCommits>();
  for (const change of moved) {
    const own = await reachableCommitsAmong(push.repository, fresh, change.new);
    for (const { oid } of own) fresh.delete(oid);
    const before = reached.get(change);
    if (!before) {
      results.set(
        change,
        toPushedCommits(own, () => true),
      );
      continue;
    }
    const distinct = new Set(own.map(({ oid }) => oid));
    results.set(
      change,
      toPushedCommits(before, oid => distinct.has(oid)),
    );
  }
  return results;
}

/** What each moved branch did not reach before. Branches that move alike are walked once. */
async function reachedByUpdates(
  { repository }: PreparedPush,
  moved: readonly BranchChange[],
): Promise<Map<RefChange, CommitNode[]>> {
  const reached = new Map<RefChange, CommitNode[]>();
  const byMove = new Map<string, CommitNode[]>();
  for (const change of moved) {
    if (change.old === undefined) continue;
    const key = `${change.old} ${change.new}`;
    const commits = byMove.get(key) ?? (await newCommits(repository, [change.new], [change.old]));
    byMove.set(key, commits);
    reached.set(change, commits);
  }
  return reached;
}

/** The time from which tips can reach something new, in seconds since 1970; undefined with a new branch, which may begin anywhere. */
function sinceOf(
  moved: readonly BranchChange[],
  reached: ReadonlyMap<RefChange, readonly CommitNode[]>,
): number | undefined {
  if (reached.size < moved.length) return undefined;
  let oldest = Number.POSITIVE_INFINITY;
  for (const commits of reached.values()) for (const { committedAt } of commits) oldest = Math.min(oldest, committedAt);
  return oldest - clockSkewSeconds;
}

function toPushedCommits(commits: readonly CommitNode[], isDistinct: (oid: Oid) => boolean): PushedCommits {
  let distinctSize = 0;
  for (const { oid } of commits) if (isDistinct(oid)) distinctSize++;
  return {
    size: commits.length,
    distinctSize,
    newest: limit =>
      commits
        .slice(0, limit)
        .map(({ oid }) => ({ oid, isDistinct: isDistinct(oid) }))
        .reverse(),
  };
}

/**
 * The new commits that are reachable from `tip`, newest first, and the first existing commits behind them. Existing
 * commits cannot have new ancestors, so the refs need not be read.
 */
async function walkNewCommits(
  { repository, newCommitIds }: PreparedPush,
  tip: Oid,
): Promise<{ commits: CommitNode[]; frontier: Set<Oid> }> {
  const { workBudget } = repository;
  const graph = new CommitGraph(repository);
  const queue = new CommitDateQueue();
  const commits: CommitNode[] = [];
  const frontier = new Set<Oid>();
  const seen = new Set<Oid>();
  const put = async (oid: Oid): Promise<void> => {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    if (seen.has(oid)) return;
    seen.add(oid);
    if (newCommitIds.has(oid)) queue.push(await graph.get(oid));
    else frontier.add(oid);
  };
  await put(tip);
  for (let node = queue.pop(); node; node = queue.pop()) {
    commits.push(node);
    for (const parent of node.parents) await put(parent);
  }
  return { commits, frontier };
}

/**
 * The tips of other branches, and those of the changed ones before the push. `since`: only tips that are newer, in seconds since 1970;
 * older ones cannot reach anything new.
 */
async function knownTips({ repository, changes }: PreparedPush, since: number | undefined): Promise<Set<Oid>> {
  const changed = changes.filter(({ ref }) => ref.startsWith('refs/heads/'));
  const rows = await repository.read<{ oid: Buffer }>(sql`
    select r.oid from git_ref r join git_object o on o.repository_id = r.repository_id and o.oid = r.oid
    where r.repository_id = ${repository.id} and r.name >= 'refs/heads/' and r.name < 'refs/heads0'
      and not r.name = any(${changed.map(({ ref }) => ref)}::text[])
      ${since === undefined ? sql`` : sql`and o.committed_at >= ${since}`}
    order by o.committed_at desc limit ${maxBranches}`);
  const tips = new Set(rows.map(({ oid }) => oid.toString('hex')));
  for (const { old } of changed) if (old !== undefined) tips.add(old);
  return tips;
}
