import { type Kysely, sql } from 'kysely';
import { fixedStatement } from '../../db/fixed-statement.ts';
import { type GitObject, LargeBlob, type Oid } from '../../git/object.ts';
import {
  demandSame,
  insertedObjects,
  type ObjectValues,
  objectValueNames,
  objectValues,
} from '../../git/object-rows.ts';
import { type MoveOfRef, type MoveValues, movedRefs, moveRefs, moveValues, type RefMove } from '../../git/refs.ts';
import { rowsOfOneStatement, writeObjects } from '../../git/write-objects.ts';
import { foldGrowth, growthNoted, noteGrowth } from '../repositories/repository-growth.ts';
import { Moved } from './lock-refs.ts';
import type { Push, RefChange } from './push-work.ts';

type Values = ObjectValues & MoveValues & { pushedAt: string };

/** Objects, refs and growth of a repository in one statement. */
const writing = fixedStatement<Values, { count: number; commits: Oid[]; moved: string[]; beside: number }>(
  [...objectValueNames, 'names', 'olds', 'tos', 'pushedAt'],
  v => sql`
    with ${insertedObjects(v)}, moved as (${movedRefs(v)}), ${growthNoted(v)}
    select brought.count, brought.commits, array(select name from moved) as moved, beside.count as beside from brought, beside`,
);

/** Pushes of one transaction that nothing stands in the way of, and that are written as late as can be: many at once. */
export class PendingPushes {
  readonly #db: Kysely<unknown>;
  readonly #repositoryId: number;
  #pending: Push[] = [];
  #writing: Promise<void> | undefined;
  /** Commits that pushes of the transaction have brought: they are fresh for the first of them. */
  readonly #brought = new Set<Oid>();
  /** What went wrong when they were written: it is nothing of whoever happened to read then. */
  failure: unknown;

  constructor(db: Kysely<unknown>, repositoryId: number) {
    this.#db = db;
    this.#repositoryId = repositoryId;
  }

  add(push: Push): void {
    this.#pending.push(push);
  }

  /** To be called before anything else is read or written that hangs on refs or objects. What has failed once fails again. */
  async write(): Promise<void> {
    // Several may read at once: none of them before all is written.
    await this.#writing;
    if (this.#pending.length === 0) return;
    this.#writing = this.#writePending();
    await this.#writing;
  }

  async #writePending(): Promise<void> {
    const pushes = this.#pending;
    this.#pending = [];
    try {
      let together: Push[] = [];
      for (const push of pushes) {
        if (push.changes.every(isMove)) {
          together.push(push);
          continue;
        }
        await this.#writeMoves(together);
        together = [];
        await this.#writeInParts([push]);
      }
      await this.#writeMoves(together);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  /** Pushes that move refs which are there and stay: all of them by one statement, unless they bring very much. */
  async #writeMoves(pushes: readonly Push[]): Promise<void> {
    const [last] = pushes.slice(-1);
    if (!last) return;
    const rows = rowsOfOneStatement(objectsOf(pushes));
    if (rows === undefined) return this.#writeInParts(pushes);
    const moves = movesOf(pushes);
    const at = latest(pushes);
    const target = { db: this.#db, repositoryId: this.#repositoryId, now: at };
    const values = {
      ...objectValues(target, rows),
      ...moveValues(this.#repositoryId, moves),
      pushedAt: at.toISOString(),
    };
    const [done] = (await writing(values).execute(this.#db)).rows;
    if (done && done.count < rows.length) await demandSame(target, rows);
    const stays = moves.find(({ name }) => !done?.moved.includes(name));
    if (stays) throw unmoved(stays);
    await foldGrowth(this.#db, this.#repositoryId, done?.beside ?? 0);
    this.#tell(pushes, done?.commits ?? []);
  }

  async #writeInParts(pushes: readonly Push[]): Promise<void> {
    const at = latest(pushes);
    const target = { db: this.#db, repositoryId: this.#repositoryId, now: at };
    const { bytes, commits } = await writeObjects(target, objectsOf(pushes));
    for (const { changes } of pushes) {
      const moves = changes.map(({ ref, old, new: to }) => ({ name: ref, old, to }));
      const ref = await moveRefs(this.#db, this.#repositoryId, moves);
      const stays = moves.find(({ name }) => name === ref);
      if (stays) throw unmoved(stays);
    }
    await noteGrowth(this.#db, { repositoryId: this.#repositoryId, bytes, pushedAt: at });
    this.#tell(pushes, commits);
  }

  /** Has each push know which of its commits were not there before. */
  #tell(pushes: readonly Push[], commits: readonly Oid[]): void {
    const made = new Set(commits);
    for (const push of pushes) {
      const fresh = new Set<Oid>();
      for (const { oid, type } of push.objects) {
        if (type === 'commit' && made.has(oid) && !this.#brought.has(oid)) fresh.add(oid);
      }
      for (const oid of fresh) this.#brought.add(oid);
      push.freshCommits = fresh;
    }
  }
}

function isMove(change: RefChange): boolean {
  return change.old !== undefined && change.new !== undefined;
}

/** Where each ref goes in the end, from where it stood before all of them. */
function movesOf(pushes: readonly Push[]): MoveOfRef[] {
  const moves = new Map<string, MoveOfRef>();
  for (const { ref, old, new: to } of pushes.flatMap(({ changes }) => changes)) {
    if (old === undefined || to === undefined) continue;
    moves.set(ref, { name: ref, old: moves.get(ref)?.old ?? old, to });
  }
  return [...moves.values()].filter(({ old, to }) => old !== to);
}

/** What is large is stored before. */
function objectsOf(pushes: readonly Push[]): GitObject[] {
  return pushes.flatMap(({ objects }) => objects.filter(one => !(one instanceof LargeBlob)));
}

function latest(pushes: readonly Push[]): Date {
  return new Date(Math.max(...pushes.map(({ at }) => at.getTime())));
}

/** Under the lock this does not happen; should somebody write refs without it, nothing is lost here. */
function unmoved({ name, old }: RefMove): Moved {
  return new Moved({ ref: name, expected: old, actual: undefined });
}
