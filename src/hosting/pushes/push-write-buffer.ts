import { type Kysely, sql } from 'kysely';
import { compiledStatement } from '../../db/compiled-statement.ts';
import { type GitObject, LargeBlob, type Oid } from '../../git/object.ts';
import {
  assertSameContent,
  insertObjectsSql,
  type ObjectValues,
  objectValueNames,
  objectValues,
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

/** Objects, refs and growth of a repository in one statement. */
const writeStatement = compiledStatement<Values, { count: number; commits: Oid[]; moved: string[]; beside: number }>(
  [...objectValueNames, 'names', 'olds', 'tos', 'pushedAt'],
  v => sql`
    with ${insertObjectsSql(v)}, moved as (${moveRefsSql(v)}), ${insertGrowthParts(v)}
    select brought.count, brought.commits, array(select name from moved) as moved, beside.count as beside from brought, beside`,
);

/** Pushes of one transaction that nothing stands in the way of, and that are written as late as can be: many at once. */
export class PushWriteBuffer {
  readonly #db: Kysely<unknown>;
  readonly #repositoryId: number;
  #pending: PreparedPush[] = [];
  #flushing: Promise<void> | undefined;
  /** Commits that pushes of the transaction have brought: they are fresh for the first of them. */
  readonly #knownNewCommits = new Set<Oid>();
  /** What went wrong when they were written: it is nothing of whoever happened to read then. */
  writeError: unknown;

  constructor(db: Kysely<unknown>, repositoryId: number) {
    this.#db = db;
    this.#repositoryId = repositoryId;
  }

  add(push: PreparedPush): void {
    this.#pending.push(push);
  }

  /** To be called before anything else is read or written that hangs on refs or objects. What has failed once fails again. */
  async flush(): Promise<void> {
    // Several may read at once: none of them before all is written.
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

  /** Pushes that move refs which are there and stay: all of them by one statement, unless they bring very much. */
  async #writeTogether(pushes: readonly PreparedPush[]): Promise<void> {
    const [last] = pushes.slice(-1);
    if (!last) return;
    const rows = rowsForOneStatement(objectsOf(pushes));
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
    if (done && done.count < rows.length) await assertSameContent(target, rows);
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

  /** Has each push know which of its commits were not there before. */
  #assignNewCommits(pushes: readonly PreparedPush[], commits: readonly Oid[]): void {
    const made = new Set(commits);
    for (const push of pushes) {
      const fresh = new Set<Oid>();
      for (const { oid, type } of push.objects) {
        if (type === 'commit' && made.has(oid) && !this.#knownNewCommits.has(oid)) fresh.add(oid);
      }
      for (const oid of fresh) this.#knownNewCommits.add(oid);
      push.freshCommits = fresh;
    }
  }
}

function isUpdate(change: RefChange): boolean {
  return change.old !== undefined && change.new !== undefined;
}

/** Where each ref goes in the end, from where it stood before all of them. */
function netMoves(pushes: readonly PreparedPush[]): ExistingRefMove[] {
  const moves = new Map<string, ExistingRefMove>();
  for (const { ref, old, new: to } of pushes.flatMap(({ changes }) => changes)) {
    if (old === undefined || to === undefined) continue;
    moves.set(ref, { name: ref, old: moves.get(ref)?.old ?? old, to });
  }
  return [...moves.values()].filter(({ old, to }) => old !== to);
}

/** What is large is stored before. */
function objectsOf(pushes: readonly PreparedPush[]): GitObject[] {
  return pushes.flatMap(({ objects }) => objects.filter(one => !(one instanceof LargeBlob)));
}

function latestTime(pushes: readonly PreparedPush[]): Date {
  return new Date(Math.max(...pushes.map(({ at }) => at.getTime())));
}

/** Under the lock this does not happen; should somebody write refs without it, nothing is lost here. */
function refMoved({ name, old }: RefMove): RefMovedError {
  return new RefMovedError({ ref: name, expected: old, actual: undefined });
}
