import { sql } from 'kysely';
import { CommitGraph } from '../../git/commit-graph.ts';
import type { CommitNode } from '../../git/commit-node.ts';
import { CommitDateQueue } from '../../git/date-queue.ts';
import { newCommits } from '../../git/history.ts';
import type { Oid } from '../../git/object.ts';
import type { PreparedPush, RefChange } from './prepared-push.ts';

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

/** Maximum number of other branches that are compared: those with the newest tips. */
const maxBranches = 1_000;

/** The clock skew that `newCommits` tolerates, in seconds. */
const clockSkewSeconds = 86_400;

const resultByChange = new WeakMap<RefChange, Promise<PushedCommits>>();

/**
 * The commits of one change of a push; empty for deleted refs and refs that are not branches. Must be called after the
 * refs have moved. Computed once per change, however many steps ask.
 */
export function pushedCommits(push: PreparedPush, change: RefChange): Promise<PushedCommits> {
  let result = resultByChange.get(change);
  if (!result) {
    result = countCommits(push, change);
    resultByChange.set(change, result);
  }
  return result;
}

async function countCommits(push: PreparedPush, change: RefChange): Promise<PushedCommits> {
  const tip = change.new;
  if (tip === undefined || !change.ref.startsWith('refs/heads/')) return toPushedCommits([], new Set());
  const { commits, frontier } = await walkNewCommits(push, tip);
  // The usual push: new commits on top of the old tip.
  const isPlain = [...frontier].every(oid => oid === change.old);
  if (isPlain && isFirstBranchChange(push, change)) return toPushedCommits(commits, new Set());
  const { repository } = push;
  const reached = change.old === undefined ? undefined : await newCommits(repository, tip, [change.old]);
  if (reached?.length === 0) return toPushedCommits([], new Set());
  const since = reached?.reduce((oldest, one) => Math.min(oldest, one.committedAt), Number.POSITIVE_INFINITY);
  const others = await otherBranchTips(push, change, since === undefined ? undefined : since - clockSkewSeconds);
  if (reached === undefined) return toPushedCommits(await newCommits(repository, tip, others), new Set());
  const known = [change.old as Oid, ...others];
  const distinct = new Set((await newCommits(repository, tip, known)).map(({ oid }) => oid));
  return toPushedCommits(reached, new Set(reached.flatMap(({ oid }) => (distinct.has(oid) ? [] : [oid]))));
}

function toPushedCommits(commits: readonly CommitNode[], shared: ReadonlySet<Oid>): PushedCommits {
  return {
    size: commits.length,
    distinctSize: commits.length - shared.size,
    newest: limit =>
      commits
        .slice(0, limit)
        .map(({ oid }) => ({ oid, isDistinct: !shared.has(oid) }))
        .reverse(),
  };
}

/** Whether the change is the first of the push that could contain these commits. */
function isFirstBranchChange({ changes }: PreparedPush, change: RefChange): boolean {
  return changes.find(one => one.new !== undefined && one.ref.startsWith('refs/heads/')) === change;
}

/**
 * The new commits that are reachable from `tip`, newest first, and the first existing commits behind them. Existing
 * commits cannot have new ancestors, so the refs need not be read.
 */
async function walkNewCommits(
  { repository, newCommitIds }: PreparedPush,
  tip: Oid,
): Promise<{ commits: CommitNode[]; frontier: Set<Oid> }> {
  const graph = new CommitGraph(repository);
  const queue = new CommitDateQueue();
  const commits: CommitNode[] = [];
  const frontier = new Set<Oid>();
  const seen = new Set<Oid>();
  const put = async (oid: Oid): Promise<void> => {
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
 * The tips of other branches before the push, and the new tips of earlier changes of the push: a commit counts for the
 * first branch of a push. `since`: only tips that are newer, in seconds since 1970; older ones cannot reach anything
 * new.
 */
async function otherBranchTips(
  { repository, changes }: PreparedPush,
  change: RefChange,
  since: number | undefined,
): Promise<Oid[]> {
  const moved = changes.map(({ ref }) => ref);
  const rows = await repository.read<{ oid: Buffer }>(sql`
    select r.oid from git_ref r join git_object o on o.repository_id = r.repository_id and o.oid = r.oid
    where r.repository_id = ${repository.id} and r.name >= 'refs/heads/' and r.name < 'refs/heads0'
      and not r.name = any(${moved}) ${since === undefined ? sql`` : sql`and o.committed_at >= ${since}`}
    order by o.committed_at desc limit ${maxBranches}`);
  const branches = changes.filter(({ ref }) => ref.startsWith('refs/heads/'));
  const before = branches.flatMap(one => (one !== change && one.old !== undefined ? [one.old] : []));
  const sooner = branches.slice(0, branches.indexOf(change)).flatMap(one => (one.new === undefined ? [] : [one.new]));
  return [...rows.map(({ oid }) => oid.toString('hex')), ...before, ...sooner];
}
