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
    if (this.type !== 'tree') throw wrongType(this, 'tree');
    this.#tree ??= parseTree(this.content, this.oid);
    return this.#tree;
  }

  get commit(): Commit {
    if (this.type !== 'commit') throw wrongType(this, 'commit');
    this.#commit ??= parseCommit(this.content, this.oid);
    return this.#commit;
  }
}

export function wrongType({ oid, type }: { oid: Oid; type: ObjectType }, wanted: ObjectType): GitError {
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
  object(repositoryId: number, oid: Oid): LoadedObject | undefined;
  remember(repositoryId: number, object: LoadedObject): void;
  node(repositoryId: number, oid: Oid): CommitNode | undefined;
  rememberNode(repositoryId: number, node: CommitNode): void;
}

/** Room for one object beside its bytes: the parsed form, the key and the list. A tree's entries are about thrice its bytes. */
const overhead = 400;

/**
 * The cache of a process, bounded in bytes. The repository is part of the key: an object that one repository has is not
 * thereby known to another one.
 */
export class MemoryObjectCache implements ObjectCache {
  readonly #objects: LRUCache<string, LoadedObject>;
  readonly #nodes: LRUCache<string, CommitNode>;
  readonly #largest: number;

  /**
   * `bytes`: of all objects together. One object takes at most a thirty-second part; larger ones are not kept. `nodes`:
   * commits; room for all of them is taken at once.
   */
  constructor(bytes = 64 * 1024 * 1024, nodes = 50_000) {
    this.#largest = bytes / 32;
    this.#objects = new LRUCache({
      maxSize: bytes,
      sizeCalculation: one => overhead + one.content.length * (one.type === 'tree' ? 4 : 1),
    });
    // Some 300 bytes each: fifteen megabytes.
    this.#nodes = new LRUCache({ max: nodes });
  }

  object(repositoryId: number, oid: Oid): LoadedObject | undefined {
    return this.#objects.get(`${repositoryId}:${oid}`);
  }

  remember(repositoryId: number, object: LoadedObject): void {
    if (object.content.length <= this.#largest) this.#objects.set(`${repositoryId}:${object.oid}`, object);
  }

  node(repositoryId: number, oid: Oid): CommitNode | undefined {
    return this.#nodes.get(`${repositoryId}:${oid}`);
  }

  rememberNode(repositoryId: number, node: CommitNode): void {
    this.#nodes.set(`${repositoryId}:${node.oid}`, node);
  }
}

/**
 * What one transaction has read and made, in front of the cache of the process, which sees it when `share` is called after
 * the commit. Sooner would be wrong: a transaction that is rolled back leaves nothing.
 */
export class TransactionObjectCache implements ObjectCache {
  readonly #behind: ObjectCache;
  readonly #objects = new Map<Oid, LoadedObject>();
  readonly #nodes = new Map<Oid, CommitNode>();
  readonly #repositoryId: number;

  constructor(behind: ObjectCache, repositoryId: number) {
    this.#behind = behind;
    this.#repositoryId = repositoryId;
  }

  object(repositoryId: number, oid: Oid): LoadedObject | undefined {
    return this.#objects.get(oid) ?? this.#behind.object(repositoryId, oid);
  }

  remember(_repositoryId: number, object: LoadedObject): void {
    this.#objects.set(object.oid, object);
  }

  node(repositoryId: number, oid: Oid): CommitNode | undefined {
    return this.#nodes.get(oid) ?? this.#behind.node(repositoryId, oid);
  }

  rememberNode(_repositoryId: number, node: CommitNode): void {
    this.#nodes.set(node.oid, node);
  }

  share(): void {
    for (const object of this.#objects.values()) this.#behind.remember(this.#repositoryId, object);
    for (const node of this.#nodes.values()) this.#behind.rememberNode(this.#repositoryId, node);
  }
}

/**
 * Gives what another cache knows and adds no object to it: for who reads a whole repository once, and would empty the cache.
 * With `own`, that one keeps what is read on the way.
 */
export class PassingObjectCache implements ObjectCache {
  readonly #behind: ObjectCache;
  readonly #own: ObjectCache | undefined;

  constructor(behind: ObjectCache, own?: ObjectCache) {
    this.#behind = behind;
    this.#own = own;
  }

  object(repositoryId: number, oid: Oid): LoadedObject | undefined {
    return this.#behind.object(repositoryId, oid) ?? this.#own?.object(repositoryId, oid);
  }

  remember(repositoryId: number, object: LoadedObject): void {
    this.#own?.remember(repositoryId, object);
  }

  node(repositoryId: number, oid: Oid): CommitNode | undefined {
    return this.#behind.node(repositoryId, oid);
  }

  rememberNode(repositoryId: number, node: CommitNode): void {
    this.#behind.rememberNode(repositoryId, node);
  }
}
