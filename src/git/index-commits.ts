import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Read } from '../db/read.ts';
import { type Computation, compute, type Isolation, type WorkSource } from '../workers/computation.ts';
import { type WorkBudget, WorkBudgetError } from '../workers/work-budget.ts';
import { changedPaths } from './changed-paths.ts';
import { CommitGraph, type NodeRow, toNode } from './commit-graph.ts';
import type { CommitNode } from './commit-node.ts';
import {
  CommitSegment,
  maxIndexedParents,
  type SegmentColumns,
  type SegmentEntry,
  segmentCommits,
} from './commit-segment.ts';
import type { TreePair } from './diff-trees.ts';
import { GitError } from './git-error.ts';
import type { Oid } from './object.ts';
import { MemoryObjectCache, ScanObjectCache } from './object-cache.ts';
import { encodePathFilter, maxFilterPaths } from './path-filter.ts';
import { oidBytes, openRepository, type Repository, unlimitedSource } from './repository.ts';
import { SegmentReader } from './segment-reader.ts';

/** Queued commits that are read together. */
const maxBatchCommits = 4 * segmentCommits;
/** Commits from which their ancestors are no longer looked for. */
const maxClosureCommits = 50_000;
/** Commits whose trees are compared together. */
const commitsPerDiff = 64;
/** Trees of neighbouring commits are read once. */
const treeCacheBytes = 16 * 1024 * 1024;
/** Work for the filters of `commitsPerDiff` commits, a second or two: beyond it, they have none, and every path may have changed. */
const filterWork = { steps: 5_000_000, objects: 100_000, bytes: 256 * 1024 * 1024, milliseconds: 10_000 };
/** Bytes of links that are read: enough to tell that a commit has too many parents. */
const maxLinkBytes = 20 * (1 + maxIndexedParents + 1);

export interface IndexContext {
  read: Read;
  isolation?: Isolation | undefined;
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
}

/** A commit in the queue. */
type QueuedCommit = Pick<CommitNode, 'oid' | 'committedAt'>;

/** Commits to append to a segment. */
interface AppendedCommits {
  number: number;
  /** Commits of the segment before and after it. */
  sizeBefore: number;
  size: number;
  oldest: number;
  newest: number;
  columns: SegmentColumns;
  commits: QueuedCommit[];
}

interface IndexPlan {
  /** Commits that leave the queue and are not indexed. */
  skipped: QueuedCommit[];
  /** In this order. */
  appended: AppendedCommits[];
}

/** What `indexCommits` writes: reading and comparing is all but a little of its work. */
export const indexComputation: Computation<{ repositoryId: number }, IndexPlan> = {
  name: 'index',
  run: (source, { repositoryId }) => planIndex(source, repositoryId),
};

/**
 * Adds queued commits of a repository to its segments, oldest first, with the filters of the paths that they change:
 * at most 4,096, and those of their ancestors that are not indexed. Each segment is written by a transaction of its own. Returns the
 * number of commits that left the queue; 0 when none is left, or when another process indexes the same repository.
 */
export async function indexCommits(
  { read, transaction, isolation }: IndexContext,
  repositoryId: number,
): Promise<number> {
  const source = { ...unlimitedSource(read), isolation };
  const { skipped, appended } = await compute(source, indexComputation, { repositoryId });
  if (skipped.length > 0) await transaction(db => leaveQueue(db, repositoryId, skipped));
  let done = skipped.length;
  for (const one of appended) {
    if (!(await transaction(db => append(db, repositoryId, one)))) break;
    done += one.commits.length;
  }
  return done;
}

/** The same until the queue is empty, for imports. `onProgress` gets the number of commits so far. */
export async function indexAllCommits(
  context: IndexContext,
  repositoryId: number,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  let all = 0;
  for (let done = await indexCommits(context, repositoryId); done > 0; ) {
    all += done;
    onProgress(all);
    done = await indexCommits(context, repositoryId);
  }
}

async function append(
  db: Kysely<unknown>,
  repositoryId: number,
  { number, sizeBefore, size, oldest, newest, columns, commits }: AppendedCommits,
): Promise<boolean> {
  // `on conflict`, or the condition on the size, decides a race with another process.
  const { rows } = await (sizeBefore === 0
    ? sql`insert into git_commit_segment (repository_id, number, size, oldest, newest, commits, details)
        values (${repositoryId}, ${number}, ${size}, ${oldest}, ${newest}, ${columns.commits}, ${columns.details})
        on conflict (repository_id, number) do nothing returning 1`
    : sql`update git_commit_segment set size = ${size}, oldest = least(oldest, ${oldest}),
          newest = greatest(newest, ${newest}), commits = commits || ${columns.commits}, details = details || ${columns.details}
        where size = ${sizeBefore} and repository_id = ${repositoryId} and number = ${number} returning 1`
  ).execute(db);
  if (rows.length > 0) await leaveQueue(db, repositoryId, commits);
  return rows.length > 0;
}

async function leaveQueue(db: Kysely<unknown>, repositoryId: number, commits: readonly QueuedCommit[]): Promise<void> {
  await sql`
    delete from git_unindexed_commit q using unnest(
      ${commits.map(({ oid }) => oidBytes(oid))}::bytea[], ${commits.map(one => one.committedAt)}::bigint[]) as n (oid, at)
    where q.repository_id = ${repositoryId} and q.committed_at = n.at and q.oid = n.oid`.execute(db);
}

async function planIndex(source: WorkSource, repositoryId: number): Promise<IndexPlan> {
  const given = openRepository(source, repositoryId);
  const trees = new ScanObjectCache(given.cache, new MemoryObjectCache(treeCacheBytes, 1, 1));
  const repository: Repository = { ...given, cache: trees };
  // Lateral, each by its key: of a repository that is new to the statistics the planner expects one object, and would compare
  // every queued commit with each of its objects.
  const rows = await source.read<NodeRow>(sql`
    select o.oid, substr(o.links, 1, ${maxLinkBytes}) as links, o.committed_at from (
      select oid from git_unindexed_commit where repository_id = ${repositoryId}
      order by committed_at, oid limit ${maxBatchCommits}) q
    cross join lateral (
      select oid, links, committed_at from git_object where repository_id = ${repositoryId} and oid = q.oid limit 1) o`);
  if (rows.length === 0) return { skipped: [], appended: [] };
  const batch = new CommitBatch(repository);
  for (const commit of await batch.close(rows.map(toNode))) batch.add(commit);
  return batch.plan();
}

/** Commits that are appended to the segments of a repository. */
class CommitBatch {
  readonly #repository: Repository;
  readonly #graph: CommitGraph;
  readonly #segments: SegmentReader;
  /** Parents first. */
  readonly #commits: CommitNode[] = [];
  readonly #places = new Map<Oid, number>();
  /** Commits that leave the queue and are not indexed. */
  readonly #skipped: CommitNode[] = [];

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#graph = new CommitGraph(repository);
    this.#segments = new SegmentReader(repository);
  }

  /**
   * The commits and those of their ancestors that are not indexed, parents first: a date may be wrong, and the parents
   * of a commit must be indexed before it.
   */
  async close(nodes: readonly CommitNode[]): Promise<CommitNode[]> {
    const { workBudget } = this.#repository;
    const known = new Map(nodes.map(node => [node.oid, node]));
    for (let children = nodes; children.length > 0 && known.size < maxClosureCommits; ) {
      const isMissing = (oid: Oid): boolean => !known.has(oid) && this.#segments.find(oid) === undefined;
      const missing: Oid[] = [];
      for (const oid of new Set(children.flatMap(({ parents }) => parents))) {
        if (isMissing(oid)) missing.push(oid);
        if (workBudget.isTurnDue) await workBudget.turn();
      }
      const found = missing.length === 0 ? [] : await this.#queuedAncestors(missing);
      for (const node of found) known.set(node.oid, node);
      // Not queued: stored by a version before the index.
      for (const oid of missing.filter(isMissing)) {
        const parent = (await this.#segments.locate(oid)) ? undefined : await this.#findCommit(oid);
        if (!parent) continue;
        known.set(oid, parent);
        found.push(parent);
      }
      children = found;
    }
    return parentsFirst(known, workBudget);
  }

  /** Those of the commits that are queued, and their queued ancestors. */
  async #queuedAncestors(oids: readonly Oid[]): Promise<CommitNode[]> {
    const { id, read } = this.#repository;
    const queued = (oid: RawBuilder<unknown>): RawBuilder<unknown> => sql`
      select o.oid, substr(o.links, 1, ${maxLinkBytes}) as links, o.committed_at from git_object o
      join git_unindexed_commit q on q.repository_id = o.repository_id and q.committed_at = o.committed_at and q.oid = o.oid
      where o.repository_id = ${id} and o.oid = ${oid} and o.type = 1 limit 1`;
    const rows = await read<NodeRow>(sql`
      with recursive walk (oid, links, committed_at) as (
        select one.* from unnest(${oids.map(oidBytes)}::bytea[]) as n (oid) cross join lateral (${queued(sql`n.oid`)}) as one
        union
        select parent.* from walk
        cross join lateral unnest(array(select generate_series(1, octet_length(walk.links) / 20 - 1))) as n
        cross join lateral (${queued(sql`substr(walk.links, n * 20 + 1, 20)`)}) as parent
      ) select * from walk limit ${maxBatchCommits}`);
    return rows.map(toNode);
  }

  /** A shallow import lacks commits. */
  async #findCommit(oid: Oid): Promise<CommitNode | undefined> {
    try {
      return await this.#graph.get(oid);
    } catch (error) {
      if (error instanceof GitError) return undefined;
      throw error;
    }
  }

  add(commit: CommitNode): void {
    if (commit.parents.length > maxIndexedParents) {
      this.#skipped.push(commit);
      return;
    }
    this.#places.set(commit.oid, this.#commits.length);
    this.#commits.push(commit);
  }

  async plan(): Promise<IndexPlan> {
    const appended: AppendedCommits[] = [];
    let last = await this.#segments.loadLast();
    const first = last.number * segmentCommits + last.size;
    for (let at = 0; at < this.#commits.length; ) {
      if (last.size === segmentCommits) last = new CommitSegment(last.number + 1);
      const commits = this.#commits.slice(at, at + segmentCommits - last.size);
      const entries: SegmentEntry[] = [];
      for (let from = 0; from < commits.length; from += commitsPerDiff) {
        for (const entry of await this.#toEntries(commits.slice(from, from + commitsPerDiff), first))
          entries.push(entry);
      }
      const { segment, added } = last.append(entries);
      const dates = commits.map(({ committedAt }) => committedAt);
      appended.push({
        number: segment.number,
        sizeBefore: last.size,
        size: segment.size,
        oldest: dates.reduce((a, b) => Math.min(a, b)),
        newest: dates.reduce((a, b) => Math.max(a, b)),
        columns: added,
        commits: commits.map(toQueued),
      });
      last = segment;
      at += commits.length;
    }
    return { skipped: this.#skipped.map(toQueued), appended };
  }

  async #toEntries(commits: readonly CommitNode[], firstPosition: number): Promise<SegmentEntry[]> {
    const pairs: TreePair[] = [];
    for (const { tree, parents } of commits) {
      const [parent] = parents;
      const node = parent === undefined ? undefined : await this.#nodeOf(parent);
      // Without the parent nothing can be compared; the missing tree leaves the commit without a filter.
      pairs.push({ before: parent === undefined ? undefined : (node?.tree ?? missingTree), after: tree });
    }
    const paths = await this.#changedPaths(pairs);
    return commits.map((commit, at): SegmentEntry => {
      const changed = paths[at];
      return {
        ...commit,
        parentPositions: commit.parents.map(oid => {
          const place = this.#places.get(oid);
          return place === undefined ? (this.#segments.find(oid)?.position ?? -1) : firstPosition + place;
        }),
        pathFilter: changed ? encodePathFilter(changed) : noFilter,
      };
    });
  }

  async #changedPaths(pairs: readonly TreePair[]): Promise<(ReadonlySet<string> | undefined)[]> {
    try {
      return await this.#repository.workBudget.spendPart(filterWork, workBudget =>
        changedPaths({ ...this.#repository, workBudget }, pairs, maxFilterPaths),
      );
    } catch (error) {
      if (error instanceof WorkBudgetError) return [];
      throw error;
    }
  }

  async #nodeOf(oid: Oid): Promise<CommitNode | undefined> {
    const place = this.#places.get(oid);
    return place === undefined ? (this.#segments.find(oid) ?? (await this.#findCommit(oid))) : this.#commits[place];
  }
}

const toQueued = ({ oid, committedAt }: CommitNode): QueuedCommit => ({ oid, committedAt });

const noFilter = Buffer.alloc(0);
const missingTree = '0'.repeat(40);

/** Sorts by date, and parents before their children. */
async function parentsFirst(commits: ReadonlyMap<Oid, CommitNode>, budget: WorkBudget): Promise<CommitNode[]> {
  const sorted: CommitNode[] = [];
  const begun = new Set<Oid>();
  const done = new Set<Oid>();
  for (const start of [...commits.values()].sort((a, b) => a.committedAt - b.committedAt)) {
    const stack = [start];
    for (let node = stack.at(-1); node; node = stack.at(-1)) {
      if (!begun.has(node.oid)) {
        begun.add(node.oid);
        budget.spendSteps(1 + node.parents.length);
        if (budget.isTurnDue) await budget.turn();
        for (const oid of node.parents) {
          const parent = begun.has(oid) ? undefined : commits.get(oid);
          if (parent) stack.push(parent);
        }
        continue;
      }
      stack.pop();
      if (done.has(node.oid)) continue;
      done.add(node.oid);
      sorted.push(node);
    }
  }
  return sorted;
}
