import { sql } from 'kysely';
import type { Oid } from './object.ts';
import type { CommitNode } from './object-cache.ts';
import { wrongTypeError } from './object-cache.ts';
import { missingObject, statObject } from './read-objects.ts';
import { oidBytes, type Repository } from './repository.ts';

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

/**
 * The commit graph of a repository, for one walk. A cache miss reads the commit together with its ancestors in one
 * recursive statement by primary key: 4,000 commits in a line take 0.2 s, instead of 1.6 s with one statement each.
 */
export class CommitGraph {
  readonly repository: Repository;
  #readAhead = readAhead.first;

  constructor(repository: Repository) {
    this.repository = repository;
  }

  /** Returns a commit that is in the cache; never reads the database. */
  getCached(oid: Oid): CommitNode | undefined {
    return this.repository.cache.getNode(this.repository.id, oid);
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
    const getCached = this.getCached(oid);
    if (getCached) return getCached;
    const { id, read, cache } = this.repository;
    // Objects of the current transaction are in its cache before they have a row.
    const object = cache.getObject(id, oid);
    if (object?.type === 'commit') {
      const { tree, parents, committer } = object.commit;
      const node = { oid, tree, parents, committedAt: committer.seconds };
      cache.putNode(id, node);
      return node;
    }
    // LIMIT 1 keeps the inner lookup on the primary key; without it the planner may choose a sequential scan for each
    // iteration.
    const rows = await read<NodeRow>(sql`
      with recursive walk (oid, links, committed_at) as (
        select oid, links, committed_at from git_object
        where repository_id = ${id} and oid = ${oidBytes(oid)} and type = 1
        union
        select parent.* from walk
        cross join lateral generate_series(1, octet_length(walk.links) / 20 - 1) as n
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

export function toNode({ oid, links, committed_at }: NodeRow): CommitNode {
  const parents: Oid[] = [];
  for (let at = 20; at < links.length; at += 20) parents.push(links.toString('hex', at, at + 20));
  return { oid: oid.toString('hex'), tree: links.toString('hex', 0, 20), parents, committedAt: committed_at };
}
