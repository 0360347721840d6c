import { LRUCache } from 'lru-cache';
import type { WorkBudget } from '../workers/work-budget.ts';
import { type Commit, parseCommit } from './commit.ts';
import type { CommitNode } from './commit-node.ts';
import type { CommitSegment } from './commit-segment.ts';
import { GitError } from './git-error.ts';
import type { GitObject, ObjectType, Oid } from './object.ts';
import { parseTree, parseTreeInTurns, type Tree } from './tree.ts';

/** Trees of more bytes are parsed with turns when they are read: 64 KB are 1,800 entries, about a millisecond. */
const maxSliceBytes = 64 * 1024;

/** An object in memory. It is parsed at the first access, once; a large tree is parsed by `prepare`. */
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

  /** Whether the first access to the tree would hold the event loop for long. */
  get isUnprepared(): boolean {
    return this.type === 'tree' && this.content.length > maxSliceBytes && this.#tree === undefined;
  }

  /** Parses a large tree with turns of the event loop, so that the first access finds it parsed. @throws WorkBudgetError */
  async prepare(budget: WorkBudget): Promise<void> {
    const tree = await parseTreeInTurns(this.content, this.oid, budget);
    await tree.index(budget);
    this.#tree = tree;
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

/**
 * A cache of git objects. Objects are immutable, so entries are never stale; a segment may lack the commits that were
 * appended to it since.
 */
export interface ObjectCache {
  getObject(repositoryId: number, oid: Oid): LoadedObject | undefined;
  putObject(repositoryId: number, getObject: LoadedObject): void;
  getNode(repositoryId: number, oid: Oid): CommitNode | undefined;
  putNode(repositoryId: number, node: CommitNode): void;
  /** The cached segments of a repository, in no particular order. */
  getSegments(repositoryId: number): CommitSegment[];
  putSegment(repositoryId: number, segment: CommitSegment): void;
}

/** Memory of a cached commit node with at most two parents. */
const nodeBytes = 300;
/** Memory of a cached segment beside its bytes: its object, the key and the list node. */
const segmentOverheadBytes = 400;

/**
 * Memory of an object in bytes: its content, its parsed form, the key and the list node. Measured with 200 to 5,000 objects of each
 * kind after a garbage collection: a tree of 10, 50 and 500 entries takes 4.3, 18 and 173 KB (430, 2,140 and 21,890 bytes of
 * content), because each entry is an object, a Buffer, an id and a key of the index of names, 345 bytes; a parsed commit of 400
 * bytes takes 1,650, a blob of 50 bytes 550.
 */
function memoryBytes({ type, content }: LoadedObject): number {
  if (type === 'tree') return 850 + content.length * 8.5;
  return (type === 'blob' ? 500 : 1250) + content.length;
}

/** How often a cache had what was asked for. */
export interface CacheLookups {
  hits: number;
  misses: number;
}

/**
 * The cache of a process, limited in bytes. The repository id is part of the key: that one repository has an object
 * does not reveal it to another one.
 */
export class MemoryObjectCache implements ObjectCache {
  readonly #objects: LRUCache<string, LoadedObject>;
  readonly #nodes: LRUCache<string, CommitNode>;
  readonly #segments: LRUCache<string, { repositoryId: number; segment: CommitSegment }>;
  /** The numbers of the segments of each repository that are in `#segments`. */
  readonly #segmentNumbers = new Map<number, Set<number>>();
  readonly #maxObjectBytes: number;
  /** Objects that were asked for. */
  readonly lookups: CacheLookups = { hits: 0, misses: 0 };

  /**
   * `bytes`: memory of all objects. The content of one has at most 1/32 of it; larger ones are not cached. `nodes`:
   * number of commits that are in no segment, allocated in advance. `segmentBytes`: total size of the segments, 100 bytes
   * for each commit.
   */
  constructor(bytes = 64 * 1024 * 1024, nodes = 20_000, segmentBytes = 24 * 1024 * 1024) {
    this.#maxObjectBytes = bytes / 32;
    this.#objects = new LRUCache({
      maxSize: bytes,
      sizeCalculation: one => Math.ceil(memoryBytes(one)),
    });
    // About 300 bytes each, 6 MB, and 60 for each further parent, of which there may be thousands.
    this.#nodes = new LRUCache({
      max: nodes,
      maxSize: nodes * nodeBytes,
      sizeCalculation: ({ parents }) => nodeBytes + 60 * Math.max(0, parents.length - 2),
    });
    this.#segments = new LRUCache({
      maxSize: segmentBytes,
      sizeCalculation: ({ segment }) => segmentOverheadBytes + segment.bytes,
      dispose: ({ repositoryId, segment }, _, reason) => {
        if (reason === 'set') return;
        const numbers = this.#segmentNumbers.get(repositoryId);
        numbers?.delete(segment.number);
        if (numbers?.size === 0) this.#segmentNumbers.delete(repositoryId);
      },
    });
  }

  getObject(repositoryId: number, oid: Oid): LoadedObject | undefined {
    const found = this.#objects.get(`${repositoryId}:${oid}`);
    this.lookups[found === undefined ? 'misses' : 'hits']++;
    return found;
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

  getSegments(repositoryId: number): CommitSegment[] {
    const numbers = [...(this.#segmentNumbers.get(repositoryId) ?? [])];
    return numbers.flatMap(number => this.#segments.get(`${repositoryId}:${number}`)?.segment ?? []);
  }

  putSegment(repositoryId: number, segment: CommitSegment): void {
    const key = `${repositoryId}:${segment.number}`;
    this.#segments.set(key, { repositoryId, segment });
    if (!this.#segments.has(key)) return;
    const numbers = this.#segmentNumbers.get(repositoryId) ?? new Set();
    this.#segmentNumbers.set(repositoryId, numbers.add(segment.number));
  }
}

/**
 * The objects that one transaction has read or created, in front of the cache of the process. `publish` copies them
 * there and must be called only after the commit: a transaction that is rolled back must leave nothing.
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

  /** An object that the transaction has read or created. */
  getOwnObject(oid: Oid): LoadedObject | undefined {
    return this.#objects.get(oid);
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

  /** Pushes write no segments: what a transaction reads is committed. */
  getSegments(repositoryId: number): CommitSegment[] {
    return this.#backing.getSegments(repositoryId);
  }

  putSegment(repositoryId: number, segment: CommitSegment): void {
    this.#backing.putSegment(repositoryId, segment);
  }

  publish(): void {
    for (const object of this.#objects.values()) this.#backing.putObject(this.#repositoryId, object);
    for (const node of this.#nodes.values()) this.#backing.putNode(this.#repositoryId, node);
  }
}

/**
 * Reads from another cache but adds no objects to it: a scan of a whole repository would evict everything else. With
 * `own`, objects that are read are kept there.
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

  getSegments(repositoryId: number): CommitSegment[] {
    return this.#backing.getSegments(repositoryId);
  }

  putSegment(repositoryId: number, segment: CommitSegment): void {
    this.#backing.putSegment(repositoryId, segment);
  }
}
