import { type Kysely, sql } from 'kysely';
import { compiledStatement } from '../../db/compiled-statement.ts';
import { type GitObject, LargeBlob, type Oid } from '../../git/object.ts';
import {
  insertObjectsSql,
  type ObjectValues,
  objectValueNames,
  objectValues,
  settleExisting,
} from '../../git/object-rows.ts';
import {
  type ExistingRefMove,
  moveRefs,
  moveRefsSql,
  type RefMove,
  type RefMoveValues,
  refMoveValues,
} from '../../git/refs.ts';
import { rowsForOneStatement, writeObjects } from '../../git/write-objects.ts';
import { foldGrowth, insertGrowthParts, recordGrowth } from '../repositories/repository-growth.ts';
import { RefMovedError } from './lock-refs.ts';
import type { PreparedPush, RefChange } from './prepared-push.ts';

type Values = ObjectValues & RefMoveValues & { pushedAt: string };

/** Inserts objects, updates refs and records the growth of the repository in one statement. */
const writeStatement = compiledStatement<Values, { count: number; commits: Oid[]; moved: string[]; beside: number }>(
  [...objectValueNames, 'names', 'olds', 'tos', 'pushedAt'],
  v => sql`
    with ${insertObjectsSql(v)}, moved as (${moveRefsSql(v)}), ${insertGrowthParts(v)}
    select brought.count, brought.commits, array(select name from moved) as moved, beside.count as beside from brought, beside`,
);

/**
 * Buffers the accepted pushes of one transaction, so that many of them are written by one statement, as late as
 * possible.
 */
export class PushWriteBuffer {
  readonly #db: Kysely<unknown>;
  readonly #repositoryId: number;
  #pending: PreparedPush[] = [];
  #flushing: Promise<void> | undefined;
  /** New commits of the pushes that are already written: a commit is new only for the first push that contains it. */
  readonly #knownNewCommits = new Set<Oid>();
  /** The error of a failed write. It is kept because the push that triggered the flush is not the one that failed. */
  writeError: unknown;

  constructor(db: Kysely<unknown>, repositoryId: number) {
    this.#db = db;
    this.#repositoryId = repositoryId;
  }

  add(push: PreparedPush): void {
    this.#pending.push(push);
  }

  /** Must be called before any read or write that depends on refs or objects. After a failure it fails again. */
  async flush(): Promise<void> {
    // Concurrent callers all wait until everything is written.
    await this.#flushing;
    if (this.#pending.length === 0) return;
    this.#flushing = this.#writeAll();
    await this.#flushing;
  }

  async #writeAll(): Promise<void> {
    const pushes = this.#pending;
    this.#pending = [];
    try {
      let together: PreparedPush[] = [];
      for (const push of pushes) {
        if (push.changes.every(isUpdate)) {
          together.push(push);
          continue;
        }
        await this.#writeTogether(together);
        together = [];
        await this.#writeSeparately([push]);
      }
      await this.#writeTogether(together);
    } catch (error) {
      this.writeError = error;
      throw error;
    }
  }

  /**
   * Writes pushes that only update existing refs: with one statement, unless their objects are too many or too large.
   */
  async #writeTogether(pushes: readonly PreparedPush[]): Promise<void> {
    const [last] = pushes.slice(-1);
    if (!last) return;
    const rows = await rowsForOneStatement(objectsOf(pushes));
    if (rows === undefined) return this.#writeSeparately(pushes);
    const moves = netMoves(pushes);
    const at = latestTime(pushes);
    const target = { db: this.#db, repositoryId: this.#repositoryId, now: at };
    const values = {
      ...objectValues(target, rows),
      ...refMoveValues(this.#repositoryId, moves),
      pushedAt: at.toISOString(),
    };
    const [done] = (await writeStatement(values).execute(this.#db)).rows;
    if (done && done.count < rows.length) await settleExisting(target, rows);
    const stays = moves.find(({ name }) => !done?.moved.includes(name));
    if (stays) throw refMoved(stays);
    await foldGrowth(this.#db, this.#repositoryId, done?.beside ?? 0);
    this.#assignNewCommits(pushes, done?.commits ?? []);
  }

  async #writeSeparately(pushes: readonly PreparedPush[]): Promise<void> {
    const at = latestTime(pushes);
    const target = { db: this.#db, repositoryId: this.#repositoryId, now: at };
    const { bytes, commits } = await writeObjects(target, objectsOf(pushes));
    for (const { changes } of pushes) {
      const moves = changes.map(({ ref, old, new: to }) => ({ name: ref, old, to }));
      const ref = await moveRefs(this.#db, this.#repositoryId, moves);
      const stays = moves.find(({ name }) => name === ref);
      if (stays) throw refMoved(stays);
    }
    await recordGrowth(this.#db, { repositoryId: this.#repositoryId, bytes, pushedAt: at });
    this.#assignNewCommits(pushes, commits);
  }

  /** Tells each push which of its commits did not exist before. */
  #assignNewCommits(pushes: readonly PreparedPush[], commits: readonly Oid[]): void {
    const made = new Set(commits);
    for (const push of pushes) {
      const newCommitIds = new Set<Oid>(push.storedCommits);
      for (const { oid, type } of push.objects) {
        if (type === 'commit' && made.has(oid) && !this.#knownNewCommits.has(oid)) newCommitIds.add(oid);
      }
      for (const oid of newCommitIds) this.#knownNewCommits.add(oid);
      push.newCommitIds = newCommitIds;
    }
  }
}

function isUpdate(change: RefChange): boolean {
  return change.old !== undefined && change.new !== undefined;
}

/** The net move of each ref over all pushes. */
function netMoves(pushes: readonly PreparedPush[]): ExistingRefMove[] {
  const moves = new Map<string, ExistingRefMove>();
  for (const { ref, old, new: to } of pushes.flatMap(({ changes }) => changes)) {
    if (old === undefined || to === undefined) continue;
    moves.set(ref, { name: ref, old: moves.get(ref)?.old ?? old, to });
  }
  return [...moves.values()].filter(({ old, to }) => old !== to);
}

/** Large blobs are already stored. */
function objectsOf(pushes: readonly PreparedPush[]): GitObject[] {
  return pushes.flatMap(({ objects }) => objects.filter(one => !(one instanceof LargeBlob)));
}

function latestTime(pushes: readonly PreparedPush[]): Date {
  return new Date(pushes.reduce((latest, { at }) => Math.max(latest, at.getTime()), 0));
}

/** Impossible while the refs are locked; it protects against writers that bypass the lock. */
function refMoved({ name, old }: RefMove): RefMovedError {
  return new RefMovedError({ ref: name, expected: old, actual: undefined });
}
