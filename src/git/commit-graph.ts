import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CommitNode } from './commit-node.ts';
import type { IndexedCommit } from './commit-segment.ts';
import type { Oid } from './object.ts';
import { wrongTypeError } from './object-cache.ts';
import { missingObject, statObject } from './read-objects.ts';
import { oidBytes, type Repository } from './repository.ts';
import { SegmentReader } from './segment-reader.ts';

export interface NodeRow {
  oid: Buffer;
  links: Buffer;
  committed_at: number;
}

/**
 * Rows of the first statement and of the largest one. The number is multiplied by 4 after each statement: a long walk
 * soon reads many rows at once.
 */
const readAhead = { first: 32, max: 5000 };

/** Commits after which a walk lets other requests run: some milliseconds. */
const commitsPerTurn = 2_000;

export interface CommitGraphOptions {
  /**
   * Whether the walk is expected to be long, or needs path filters. The first cache miss then reads segments, 200 KB,
   * and not a few commits.
   */
  isLong?: boolean;
}

/**
 * The commit graph of a repository, for one walk. Commits that are indexed are read in segments. The others, which are
 * few and the newest, are read together with their ancestors in one recursive statement by primary key: 4,000 commits
 * in a line take 0.2 s, instead of 1.6 s with one statement each.
 */
export class CommitGraph {
  readonly repository: Repository;
  readonly #segments: SegmentReader;
  /** Whether the next cache miss reads segments. */
  #readsSegments: boolean;
  #readAhead = readAhead.first;
  #steps = 0;

  constructor(repository: Repository, { isLong = false }: CommitGraphOptions = {}) {
    this.repository = repository;
    this.#segments = new SegmentReader(repository);
    this.#readsSegments = isLong;
  }

  /** Returns a commit that is in memory; never reads the database. */
  getCached(oid: Oid): CommitNode | undefined {
    return this.#segments.find(oid) ?? this.repository.cache.getNode(this.repository.id, oid);
  }

  /** Reads many commits into the cache, in batches. Ids that do not exist are ignored. */
  async preload(oids: readonly Oid[]): Promise<void> {
    const { id, read, cache } = this.repository;
    const wanted = oids.filter(oid => !this.getCached(oid)).map(oidBytes);
    for (let at = 0; at < wanted.length; at += readAhead.max) {
      const rows = await read<NodeRow>(sql`select oid, links, committed_at from git_object
        where repository_id = ${id} and oid = any(${wanted.slice(at, at + readAhead.max)}) and type = 1`);
      for (const row of rows) cache.putNode(id, toNode(row));
    }
  }

  /** @throws GitError `missing` when there is no such object, `wrong-type` when it is not a commit. */
  async get(oid: Oid): Promise<CommitNode> {
    if (++this.#steps % commitsPerTurn === 0) await setImmediate();
    const known = this.getCached(oid);
    if (known) return known;
    const { id, cache } = this.repository;
    // Objects of the current transaction are in its cache before they have a row.
    const object = cache.getObject(id, oid);
    if (object?.type === 'commit') {
      const { tree, parents, committer } = object.commit;
      const node = { oid, tree, parents, committedAt: committer.seconds };
      cache.putNode(id, node);
      return node;
    }
    const indexed = this.#readsSegments ? await this.findIndexed(oid) : undefined;
    this.#readsSegments = true;
    return indexed ?? this.#readRecursively(oid);
  }

  /** The parents of a commit, in their order. @throws as `get` */
  async parents(node: CommitNode): Promise<CommitNode[]> {
    if (++this.#steps % commitsPerTurn === 0) await setImmediate();
    const parents: CommitNode[] = [];
    for (const [at, oid] of node.parents.entries()) {
      const position = isIndexed(node) ? (node.parentPositions[at] ?? -1) : -1;
      const parent = position < 0 ? undefined : (this.#segments.at(position) ?? (await this.#segments.load(position)));
      parents.push(parent ?? (await this.get(oid)));
    }
    return parents;
  }

  /** Those that are in memory. */
  cachedParents(node: CommitNode): CommitNode[] {
    return node.parents.flatMap((oid, at) => {
      const position = isIndexed(node) ? (node.parentPositions[at] ?? -1) : -1;
      return (position < 0 ? this.getCached(oid) : this.#segments.at(position)) ?? [];
    });
  }

  /**
   * A commit of the index. When it is not in memory, reads the segments that may contain it or its ancestors. Undefined
   * when it is not indexed, and sometimes when it is: a date far off hides it.
   */
  async findIndexed(oid: Oid): Promise<IndexedCommit | undefined> {
    const known = this.#segments.find(oid);
    if (known || this.#isUnindexed) return known;
    const { commit, hasSegments } = await this.#segments.loadAround(oid);
    this.#isUnindexed = !hasSegments;
    return commit;
  }

  /** Whether a statement has found no segments for this walk. */
  #isUnindexed = false;

  /**
   * The filter of the paths that a commit changes in comparison with its first parent; undefined when it is not known.
   */
  pathFilter(node: CommitNode): Uint8Array | undefined {
    return isIndexed(node) ? this.#segments.pathFilter(node.position) : undefined;
  }

  async #readRecursively(oid: Oid): Promise<CommitNode> {
    const { id, read, cache } = this.repository;
    // LIMIT 1 keeps the inner lookup on the primary key; without it the planner may choose a sequential scan for each
    // iteration. The array is estimated at ten rows and not at a thousand, with which PostgreSQL compiled the statement
    // (jit) for seconds.
    const rows = await read<NodeRow>(sql`
      with recursive walk (oid, links, committed_at) as (
        select oid, links, committed_at from git_object
        where repository_id = ${id} and oid = ${oidBytes(oid)} and type = 1
        union
        select parent.* from walk
        cross join lateral unnest(array(select generate_series(1, octet_length(walk.links) / 20 - 1))) as n
        cross join lateral (
          select o.oid, o.links, o.committed_at from git_object o
          where o.repository_id = ${id} and o.oid = substr(walk.links, n * 20 + 1, 20) limit 1
        ) as parent
      ) select * from walk limit ${this.#readAhead}`);
    this.#readAhead = Math.min(this.#readAhead * 4, readAhead.max);
    for (const row of rows) cache.putNode(id, toNode(row));
    const [first] = rows;
    if (first) return toNode(first);
    const other = await statObject(this.repository, oid);
    throw other ? wrongTypeError({ oid, type: other.type }, 'commit') : missingObject(oid);
  }
}

export function isIndexed(node: CommitNode): node is IndexedCommit {
  return 'position' in node;
}

export function toNode({ oid, links, committed_at }: NodeRow): CommitNode {
  const parents: Oid[] = [];
  for (let at = 20; at < links.length; at += 20) parents.push(links.toString('hex', at, at + 20));
  return { oid: oid.toString('hex'), tree: links.toString('hex', 0, 20), parents, committedAt: committed_at };
}
