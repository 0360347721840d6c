import { LRUCache } from 'lru-cache';
import { type Commit, parseCommit } from './commit.ts';
import { GitError } from './git-error.ts';
import type { GitObject, ObjectType, Oid } from './object.ts';
import { parseTree, type Tree } from './tree.ts';

/** An object in memory; what it says is read when somebody asks, and once. */
export class LoadedObject implements GitObject {
  readonly oid: Oid;
  readonly type: ObjectType;
  readonly content: Buffer;
  #tree: Tree | undefined;
  #commit: Commit | undefined;

  constructor({ oid, type, content }: GitObject) {
    this.oid = oid;
    this.type = type;
    this.content = content;
  }

  get tree(): Tree {
    if (this.type !== 'tree') throw wrongTypeError(this, 'tree');
    this.#tree ??= parseTree(this.content, this.oid);
    return this.#tree;
  }

  get commit(): Commit {
    if (this.type !== 'commit') throw wrongTypeError(this, 'commit');
    this.#commit ??= parseCommit(this.content, this.oid);
    return this.#commit;
  }
}

export function wrongTypeError({ oid, type }: { oid: Oid; type: ObjectType }, wanted: ObjectType): GitError {
  return new GitError('wrong-type', oid, `The object ${oid} is a ${type} and no ${wanted}.`);
}

/** The links of a commit: what walks through history need of it. */
export interface CommitNode {
  oid: Oid;
  tree: Oid;
  parents: readonly Oid[];
  /** Seconds since 1970, the committer's. */
  committedAt: number;
}

/** What is remembered of repositories. Objects never change, so nothing in it can be out of date. */
export interface ObjectCache {
  getObject(repositoryId: number, oid: Oid): LoadedObject | undefined;
  putObject(repositoryId: number, getObject: LoadedObject): void;
  getNode(repositoryId: number, oid: Oid): CommitNode | undefined;
  putNode(repositoryId: number, getNode: CommitNode): void;
}

/** Room for one object beside its bytes: the parsed form, the key and the list. A tree's entries are about thrice its bytes. */
const entryOverheadBytes = 400;

/**
 * The cache of a process, bounded in bytes. The repository is part of the key: an object that one repository has is not
 * thereby known to another one.
 */
export class MemoryObjectCache implements ObjectCache {
  readonly #objects: LRUCache<string, LoadedObject>;
  readonly #nodes: LRUCache<string, CommitNode>;
  readonly #maxObjectBytes: number;

  /**
   * `bytes`: of all objects together. One object takes at most a thirty-second part; larger ones are not kept. `nodes`:
   * commits; room for all of them is taken at once.
   */
  constructor(bytes = 64 * 1024 * 1024, nodes = 50_000) {
    this.#maxObjectBytes = bytes / 32;
    this.#objects = new LRUCache({
      maxSize: bytes,
      sizeCalculation: one => entryOverheadBytes + one.content.length * (one.type === 'tree' ? 4 : 1),
    });
    // Some 300 bytes each: fifteen megabytes.
    this.#nodes = new LRUCache({ max: nodes });
  }

  getObject(repositoryId: number, oid: Oid): LoadedObject | undefined {
    return this.#objects.get(`${repositoryId}:${oid}`);
  }

  putObject(repositoryId: number, object: LoadedObject): void {
    if (object.content.length <= this.#maxObjectBytes) this.#objects.set(`${repositoryId}:${object.oid}`, object);
  }

  getNode(repositoryId: number, oid: Oid): CommitNode | undefined {
    return this.#nodes.get(`${repositoryId}:${oid}`);
  }

  putNode(repositoryId: number, node: CommitNode): void {
    this.#nodes.set(`${repositoryId}:${node.oid}`, node);
  }
}

/**
 * What one transaction has read and made, in front of the cache of the process, which sees it when `share` is called after
 * the commit. Sooner would be wrong: a transaction that is rolled back leaves nothing.
 */
export class TransactionObjectCache implements ObjectCache {
  readonly #backing: ObjectCache;
  readonly #objects = new Map<Oid, LoadedObject>();
  readonly #nodes = new Map<Oid, CommitNode>();
  readonly #repositoryId: number;

  constructor(behind: ObjectCache, repositoryId: number) {
    this.#backing = behind;
    this.#repositoryId = repositoryId;
  }

  getObject(repositoryId: number, oid: Oid): LoadedObject | undefined {
    return this.#objects.get(oid) ?? this.#backing.getObject(repositoryId, oid);
  }

  putObject(_repositoryId: number, object: LoadedObject): void {
    this.#objects.set(object.oid, object);
  }

  getNode(repositoryId: number, oid: Oid): CommitNode | undefined {
    return this.#nodes.get(oid) ?? this.#backing.getNode(repositoryId, oid);
  }

  putNode(_repositoryId: number, node: CommitNode): void {
    this.#nodes.set(node.oid, node);
  }

  publish(): void {
    for (const object of this.#objects.values()) this.#backing.putObject(this.#repositoryId, object);
    for (const node of this.#nodes.values()) this.#backing.putNode(this.#repositoryId, node);
  }
}

/**
 * Gives what another cache knows and adds no object to it: for who reads a whole repository once, and would empty the cache.
 * With `own`, that one keeps what is read on the way.
 */
export class ScanObjectCache implements ObjectCache {
  readonly #backing: ObjectCache;
  readonly #own: ObjectCache | undefined;

  constructor(behind: ObjectCache, own?: ObjectCache) {
    this.#backing = behind;
    this.#own = own;
  }

  getObject(repositoryId: number, oid: Oid): LoadedObject | undefined {
    return this.#backing.getObject(repositoryId, oid) ?? this.#own?.getObject(repositoryId, oid);
  }

  putObject(repositoryId: number, object: LoadedObject): void {
    this.#own?.putObject(repositoryId, object);
  }

  getNode(repositoryId: number, oid: Oid): CommitNode | undefined {
    return this.#backing.getNode(repositoryId, oid);
  }

  putNode(repositoryId: number, node: CommitNode): void {
    this.#backing.putNode(repositoryId, node);
  }
}
