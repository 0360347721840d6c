import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import { isLockConflict } from '../../db/sql-state.ts';
import type { WorkBudget } from '../../workers/work-budget.ts';
import { lockForCollection } from '../collection-lock.ts';
import { listAllRefs } from '../list-all-refs.ts';
import type { Oid } from '../object.ts';
import { ScanObjectCache } from '../object-cache.ts';
import { ObjectIndex } from '../object-list.ts';
import { oidBytes, openInTransaction, type Repository } from '../repository.ts';
import { walkObjects } from '../walk-objects.ts';
import { maxChainDeltas } from './delta-chains.ts';
import type { MaintenanceSession } from './maintenance-lock.ts';
import { storeWhole } from './store-whole.ts';

export interface CollectOptions {
  /** Objects that were stored at this time or later are kept, with all that they refer to. */
  cutoff: Date;
  signal: AbortSignal;
  /** Objects that are kept like those that refs point to. Some may not exist. */
  listRoots(read: Read): Promise<Oid[]>;
  /** Called in each transaction that has deleted objects. `bytes`: of their contents. */
  onDeleted(db: Kysely<unknown>, deleted: { commits: readonly Oid[]; bytes: number }): Promise<void>;
}

export interface CollectedGarbage {
  /** Deleted objects, and the bytes of their contents. */
  objects: number;
  bytes: number;
  /** Objects that no ref reaches and that are kept until the cutoff has passed them. */
  young: number;
  /** False when pushes held the lock all the time. */
  isComplete: boolean;
}

/** Waits of one attempt to lock out pushes, which wait meanwhile, and the pause before the next. */
const lockWaitMs = 1_000;
const lockPauseMs = 500;
const maxLockAttempts = 30;

/** Blobs that one transaction deletes. Pushes wait for it, some tens of milliseconds. */
const blobsPerTransaction = 2_000;
const oidsPerStatement = 5_000;
/** Objects from which one walk starts. */
const tipsPerWalk = 10_000;

/**
 * Deletes the objects that neither a ref, another root nor an object younger than the cutoff reaches.
 *
 * Objects are marked without a lock. Each transaction that deletes then excludes pushes (`lockForCollection`), marks what has come
 * since, and deletes what is still unmarked: so an object that a push has revived stays. What deletes commits, tags and trees is one
 * transaction, and blobs follow in several: at any time, everything that a stored object refers to is stored.
 * @throws GitError `corrupt` when an object that is kept cannot be read; nothing more is deleted then
 */
export async function collectGarbage(
  session: MaintenanceSession,
  given: Repository,
  options: CollectOptions,
): Promise<CollectedGarbage> {
  // What is walked is seldom asked for again.
  const repository: Repository = { ...given, cache: new ScanObjectCache(given.cache) };
  const marks = await Marks.create(await ObjectIndex.read(repository), options, repository.workBudget);
  await marks.update(repository);
  const collected = { objects: 0, bytes: 0, young: marks.countYoung(), isComplete: true };
  for await (const part of marks.parts(repository.workBudget)) {
    const deleted = await attemptLocked(session, repository.id, options.signal, async db => {
      const inside: Repository = { ...openInTransaction(db, repository), cache: repository.cache };
      await marks.update(inside);
      return deleteObjects(db, inside, marks, part, options);
    });
    if (!deleted) return { ...collected, isComplete: false };
    // Only now: a transaction that failed has stored nothing.
    for (const at of deleted.storedWhole) marks.index.bases[at] = -1;
    collected.objects += deleted.objects;
    collected.bytes += deleted.bytes;
  }
  return collected;
}

/** Undefined when the lock was not free in any attempt. */
async function attemptLocked<T>(
  session: MaintenanceSession,
  repositoryId: number,
  signal: AbortSignal,
  work: (db: Kysely<unknown>) => Promise<T>,
): Promise<T | undefined> {
  for (let attempt = 0; attempt < maxLockAttempts; attempt++) {
    signal.throwIfAborted();
    try {
      return await session.transaction(async db => {
        await lockForCollection(db, repositoryId, lockWaitMs);
        return work(db);
      });
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
    await delay(lockPauseMs, undefined, { signal });
  }
  return undefined;
}

/** How an object was reached. */
const [byNothing, byRef, byYoung] = [0, 1, 2];

/** Which objects are kept. */
class Marks {
  readonly index: ObjectIndex;
  readonly #options: CollectOptions;
  readonly #marks: Uint8Array;
  /** Marked objects that were stored after the index was read. */
  readonly #later = new Set<Oid>();
  /** Lists of the deltas of each base: a place and 1, 0 at the end. */
  readonly #firstDelta: Uint32Array;
  readonly #nextDelta: Uint32Array;

  private constructor(index: ObjectIndex, options: CollectOptions) {
    this.index = index;
    this.#options = options;
    this.#marks = new Uint8Array(index.count);
    this.#firstDelta = new Uint32Array(index.count);
    this.#nextDelta = new Uint32Array(index.count);
  }

  static async create(index: ObjectIndex, options: CollectOptions, budget: WorkBudget): Promise<Marks> {
    const marks = new Marks(index, options);
    for (let at = 0; at < index.count; at++) {
      const base = index.bases[at] ?? -1;
      if (base >= 0) {
        marks.#nextDelta[at] = marks.#firstDelta[base] ?? 0;
        marks.#firstDelta[base] = at + 1;
      }
      budget.spendSteps();
      if (budget.isTurnDue) await budget.turn();
    }
    return marks;
  }

  /** Marks what is reachable and not marked yet. A walk ends at marked objects, so the second time is short. */
  async update(repository: Repository): Promise<void> {
    const refs = await listAllRefs(repository);
    const roots = await this.#options.listRoots(repository.read);
    await this.#walk(repository, [...refs.map(({ oid }) => oid), ...roots], byRef);
    // One value and not a row for each: of a repository that was imported just now these are all objects.
    const [row] = await repository.read<{ oids: Buffer | null }>(sql`
      select string_agg(oid, ''::bytea) as oids from git_object
      where repository_id = ${repository.id} and stored_at >= ${this.#options.cutoff.toISOString()}`);
    const young = row?.oids ?? Buffer.alloc(0);
    let tips: Oid[] = [];
    for (let at = 0; at < young.length; at += 20) {
      const oid = young.subarray(at, at + 20);
      const place = this.index.indexOf(oid);
      if (place < 0 || !this.isMarked(place)) tips.push(oid.toString('hex'));
      repository.workBudget.spendSteps();
      if (repository.workBudget.isTurnDue) await repository.workBudget.turn();
      if (tips.length < tipsPerWalk && at + 20 < young.length) continue;
      await this.#walk(repository, tips, byYoung);
      tips = [];
    }
  }

  async #walk(repository: Repository, tips: readonly Oid[], mark: number): Promise<void> {
    const take = (oids: Iterable<Oid>): Oid[] => {
      const fresh: Oid[] = [];
      for (const oid of oids) if (this.#mark(oid, mark)) fresh.push(oid);
      return fresh;
    };
    // A shallow import lacks objects.
    for await (const _ of walkObjects(repository, tips, { take, onMissing() {} }))
      this.#options.signal.throwIfAborted();
  }

  #mark(oid: Oid, mark: number): boolean {
    const at = this.index.indexOf(oidBytes(oid));
    if (at < 0) {
      if (this.#later.has(oid)) return false;
      this.#later.add(oid);
      return true;
    }
    if (this.#marks[at] !== byNothing) return false;
    this.#marks[at] = mark;
    return true;
  }

  isMarked(at: number): boolean {
    return this.#marks[at] !== byNothing;
  }

  countYoung(): number {
    let count = 0;
    for (const mark of this.#marks) if (mark === byYoung) count++;
    return count;
  }

  /** The places of unmarked objects in the order in which they are deleted. Of blobs, a delta comes before its base. */
  async *parts(budget: WorkBudget): AsyncGenerator<readonly number[]> {
    const structure: number[] = [];
    /** By the number of deltas from the object to the one that is stored otherwise. */
    const blobs: number[][] = [];
    for (let at = 0; at < this.index.count; at++) {
      budget.spendSteps();
      if (budget.isTurnDue) await budget.turn();
      if (this.isMarked(at)) continue;
      if (this.index.type(at) === 'blob') addAt(blobs, this.#depth(at), at);
      else structure.push(at);
    }
    if (structure.length > 0) yield structure;
    let part: number[] = [];
    for (const places of blobs.reverse()) {
      for (const at of places) {
        part.push(at);
        if (part.length < blobsPerTransaction) continue;
        yield part;
        part = [];
      }
    }
    if (part.length > 0) yield part;
  }

  /** A damaged chain may be a circle. */
  #depth(at: number): number {
    let depth = 0;
    for (let base = this.index.bases[at] ?? -1; base >= 0 && depth <= maxChainDeltas; depth++) {
      base = this.index.bases[base] ?? -1;
    }
    return depth;
  }

  /** The places of the kept objects that are stored as deltas of one of these. */
  async keptDeltasOf(bases: readonly number[], budget: WorkBudget): Promise<number[]> {
    const going = new Set<number>();
    for (const at of bases) {
      going.add(at);
      budget.spendSteps();
      if (budget.isTurnDue) await budget.turn();
    }
    const found: number[] = [];
    for (const base of bases) {
      for (let next = this.#firstDelta[base] ?? 0; next > 0; next = this.#nextDelta[next - 1] ?? 0) {
        const at = next - 1;
        // Stored as a whole meanwhile otherwise.
        if (this.index.bases[at] === base && !going.has(at)) found.push(at);
        budget.spendSteps();
        if (budget.isTurnDue) await budget.turn();
      }
    }
    return found;
  }
}

function addAt<T>(lists: T[][], at: number, item: T): void {
  while (lists.length <= at) lists.push([]);
  lists[at]?.push(item);
}

async function deleteObjects(
  db: Kysely<unknown>,
  repository: Repository,
  marks: Marks,
  part: readonly number[],
  { cutoff, onDeleted }: CollectOptions,
): Promise<{ objects: number; bytes: number; storedWhole: readonly number[] }> {
  const places = part.filter(at => !marks.isMarked(at));
  const storedWhole = await marks.keptDeltasOf(places, repository.workBudget);
  for (const at of storedWhole) await storeWhole(db, repository, marks.index.hex(at));
  let [objects, bytes] = [0, 0];
  const commits: Oid[] = [];
  for (let at = 0; at < places.length; at += oidsPerStatement) {
    const oids = places.slice(at, at + oidsPerStatement).map(place => Buffer.from(marks.index.oid(place)));
    const { rows } = await sql<{ oid: string; type: number; size: number }>`
      with gone as (
        delete from git_object where repository_id = ${repository.id} and oid = any(${oids}::bytea[])
          and stored_at < ${cutoff.toISOString()}
        returning oid, type, size, committed_at, chunks),
      chunks as (delete from git_chunk where chunks in (select chunks from gone where chunks is not null)),
      unqueued as (delete from git_unindexed_commit q using gone where gone.type = 1
        and q.repository_id = ${repository.id} and q.committed_at = gone.committed_at and q.oid = gone.oid)
      select encode(oid, 'hex') as oid, type, size from gone`.execute(db);
    objects += rows.length;
    for (const { oid, type, size } of rows) {
      bytes += size;
      if (type === 1) commits.push(oid);
    }
  }
  if (objects > 0) await onDeleted(db, { commits, bytes });
  return { objects, bytes, storedWhole };
}
