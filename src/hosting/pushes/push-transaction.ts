import { GraphQLError } from 'graphql';
import { type Kysely, sql } from 'kysely';
import { type GitObject, LargeBlob } from '../../git/object.ts';
import { LoadedObject } from '../../git/object-cache.ts';
import { demandClosed } from '../../git/reachable.ts';
import { inTransactionOf, type Repository, type RepositoryInTransaction } from '../../git/repository.ts';
import { demandEnds } from './demand-ends.ts';
import { LaterRows } from './later-rows.ts';
import { type Locked, lockRefs, Moved, moved } from './lock-refs.ts';
import { PendingPushes } from './pending-pushes.ts';
import type { Job, PushContext, PushRequest, PushResult } from './push-request.ts';
import { demandPushRights } from './push-rights.ts';
import type { PushSteps } from './push-steps.ts';
import type { Outcome } from './push-turns.ts';
import type { Push, RefChange, Violation } from './push-work.ts';

/**
 * Pushes to the same refs, one after the other in one transaction. Each is judged as if those before it were stored, and they
 * are where anybody looks into the database; where nobody does, which is nearly always, all of them are written at the end and
 * together: a push then costs no way to the database of its own.
 */
export class PushTransaction {
  readonly #all: RepositoryInTransaction;
  readonly #locked: Locked;
  readonly #pending: PendingPushes;
  readonly #later = new LaterRows();
  readonly #stored: { push: Push; steps: PushSteps }[] = [];

  private constructor(all: RepositoryInTransaction, pending: PendingPushes, locked: Locked) {
    this.#all = all;
    this.#pending = pending;
    this.#locked = locked;
  }

  /** Locks the refs, and waits for them. */
  static async begin(db: Kysely<unknown>, outside: Repository, refs: readonly string[]): Promise<PushTransaction> {
    const pending = new PendingPushes(db, outside.id);
    const all = inTransactionOf(db, outside, () => pending.write());
    return new PushTransaction(all, pending, await lockRefs(db, outside.id, refs));
  }

  /** What comes of one push if the transaction is committed. Throws what has spoilt the transaction for all of them. */
  async take({ context, request, steps }: Job): Promise<Outcome<PushResult>> {
    const { db } = this.#all;
    // What a push that fails has brought is seen by none of the others.
    const repository = inTransactionOf(db, this.#all, () => this.#pending.write());
    let push: Push;
    try {
      push = await this.#prepare(repository, context, request);
    } catch (error) {
      if (this.#pending.failure !== undefined) throw this.#pending.failure;
      // Until here nothing of it was written. After an error of PostgreSQL nothing else can be: it says so.
      await sql`select 1`.execute(db).catch(() => {
        throw error;
      });
      return error instanceof Moved ? { value: moved(error) } : { error };
    }
    if (push.changes.length === 0) return { value: { kind: 'pushed', changes: [] } };
    const violations: Violation[] = [];
    try {
      for (const rule of steps.rules) violations.push(...(await rule(push)));
    } catch (error) {
      // A coded failure, such as that patterns cannot be matched now, is about this push alone, of which nothing is written yet.
      if (error instanceof GraphQLError) return { error };
      throw error;
    }
    if (violations.length > 0) return { value: { kind: 'refused', violations } };
    this.#pending.add(push);
    this.#stored.push({ push, steps });
    repository.cache.share();
    for (const { ref, new: end } of push.changes) {
      if (end === undefined) this.#locked.heads.delete(ref);
      else this.#locked.heads.set(ref, end);
    }
    return { value: { kind: 'pushed', changes: [...push.changes] } };
  }

  /** Writes what is not written yet. */
  async end(): Promise<void> {
    await this.#pending.write();
    for (const { push, steps } of this.#stored) {
      for (const step of steps.events) await step(push);
      for (const step of steps.deliveries) await step(push);
    }
    await this.#later.write(this.#all.db);
  }

  /** To be called once it is committed. */
  share(): void {
    this.#all.cache.share();
  }

  /** Finds out where each ref goes and what that needs. */
  async #prepare(repository: RepositoryInTransaction, context: PushContext, request: PushRequest): Promise<Push> {
    const { updates, pusherId, pusherAppId, rights } = request;
    const changes: RefChange[] = [];
    const objects: GitObject[] = [...(request.objects ?? [])];
    remember(repository, objects);
    for (const { ref, expected, to } of updates) {
      const old = this.#locked.heads.get(ref);
      if (expected !== undefined && (expected ?? undefined) !== old) {
        throw new Moved({ ref, expected: expected ?? undefined, actual: old });
      }
      const brought = typeof to === 'function' ? await to(old, repository) : { to, objects: [] };
      objects.push(...brought.objects);
      remember(repository, brought.objects);
      if ((brought.to ?? undefined) !== old) changes.push({ ref, old, new: brought.to ?? undefined });
    }
    if (request.isForeign) await demandClosed(repository, objects);
    await demandEnds(repository, changes);
    if (rights && changes.length > 0) await demandPushRights(repository, changes, rights);
    return {
      repository,
      to: this.#locked.to,
      pusherId,
      pusherAppId,
      publicOrigin: context.publicOrigin,
      at: context.now(),
      changes,
      objects,
      freshCommits: new Set(),
      later: this.#later,
    };
  }
}

function remember(repository: RepositoryInTransaction, objects: readonly GitObject[]): void {
  // What is large has been stored, and is read from there.
  const kept = objects.filter(one => !(one instanceof LargeBlob));
  for (const object of kept) repository.cache.remember(repository.id, new LoadedObject(object));
}
