import { GraphQLError } from 'graphql';
import { type Kysely, sql } from 'kysely';
import type { Outcome } from '../../db/keyed-batch-queue.ts';
import { type GitObject, LargeBlob } from '../../git/object.ts';
import { LoadedObject } from '../../git/object-cache.ts';
import { assertConnected } from '../../git/reachable.ts';
import { openInTransaction, type Repository, type RepositoryInTransaction } from '../../git/repository.ts';
import { assertRefTargets } from './assert-ref-targets.ts';
import { DeferredInserts } from './deferred-inserts.ts';
import { type LockedRefs, lockRefs, RefMovedError, refMovedResult } from './lock-refs.ts';
import type { PreparedPush, RefChange, Violation } from './prepared-push.ts';
import type { PushPipeline } from './push-pipeline.ts';
import type { PushContext, PushRequest, PushResult, QueuedPush } from './push-request.ts';
import { assertPushRights } from './push-rights.ts';
import { PushWriteBuffer } from './push-write-buffer.ts';

/**
 * Pushes to the same refs, one after the other in one transaction. Each is judged as if those before it were stored, and they
 * are where anybody looks into the database; where nobody does, which is nearly always, all of them are written at the end and
 * together: a push then costs no way to the database of its own.
 */
export class PushTransaction {
  readonly #repository: RepositoryInTransaction;
  readonly #lockedRefs: LockedRefs;
  readonly #buffer: PushWriteBuffer;
  readonly #deferredInserts = new DeferredInserts();
  readonly #accepted: { push: PreparedPush; steps: PushPipeline }[] = [];

  private constructor(all: RepositoryInTransaction, pending: PushWriteBuffer, locked: LockedRefs) {
    this.#repository = all;
    this.#buffer = pending;
    this.#lockedRefs = locked;
  }

  /** Locks the refs, and waits for them. */
  static async begin(db: Kysely<unknown>, outside: Repository, refs: readonly string[]): Promise<PushTransaction> {
    const buffer = new PushWriteBuffer(db, outside.id);
    const repository = openInTransaction(db, outside, () => buffer.flush());
    return new PushTransaction(repository, buffer, await lockRefs(db, outside.id, refs));
  }

  /** What comes of one push if the transaction is committed. Throws what has spoilt the transaction for all of them. */
  async take({ context, request, steps }: QueuedPush): Promise<Outcome<PushResult>> {
    const { db } = this.#repository;
    // What a push that fails has brought is seen by none of the others.
    const repository = openInTransaction(db, this.#repository, () => this.#buffer.flush());
    let push: PreparedPush;
    try {
      push = await this.#prepare(repository, context, request);
    } catch (error) {
      if (this.#buffer.writeError !== undefined) throw this.#buffer.writeError;
      // Until here nothing of it was written. After an error of PostgreSQL nothing else can be: it says so.
      await sql`select 1`.execute(db).catch(() => {
        throw error;
      });
      return error instanceof RefMovedError ? { value: refMovedResult(error) } : { error };
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
    this.#buffer.add(push);
    this.#accepted.push({ push, steps });
    repository.cache.publish();
    for (const { ref, new: end } of push.changes) {
      if (end === undefined) this.#lockedRefs.heads.delete(ref);
      else this.#lockedRefs.heads.set(ref, end);
    }
    return { value: { kind: 'pushed', changes: [...push.changes] } };
  }

  /** Writes what is not written yet. */
  async end(): Promise<void> {
    await this.#buffer.flush();
    for (const { push, steps } of this.#accepted) {
      for (const step of steps.events) await step(push);
      for (const step of steps.deliveries) await step(push);
    }
    await this.#deferredInserts.write(this.#repository.db);
  }

  /** To be called once it is committed. */
  share(): void {
    this.#repository.cache.publish();
  }

  /** Finds out where each ref goes and what that needs. */
  async #prepare(
    repository: RepositoryInTransaction,
    context: PushContext,
    request: PushRequest,
  ): Promise<PreparedPush> {
    const { updates, pusherId, pusherAppId, rights } = request;
    const changes: RefChange[] = [];
    const objects: GitObject[] = [...(request.objects ?? [])];
    cacheObjects(repository, objects);
    for (const { ref, expected, to } of updates) {
      const old = this.#lockedRefs.heads.get(ref);
      if (expected !== undefined && (expected ?? undefined) !== old) {
        throw new RefMovedError({ ref, expected: expected ?? undefined, actual: old });
      }
      const made = typeof to === 'function' ? await to(old, repository) : { to, objects: [] };
      objects.push(...made.objects);
      cacheObjects(repository, made.objects);
      if ((made.to ?? undefined) !== old) changes.push({ ref, old, new: made.to ?? undefined });
    }
    if (request.isUntrusted) await assertConnected(repository, objects);
    await assertRefTargets(repository, changes);
    if (rights && changes.length > 0) await assertPushRights(repository, changes, rights);
    return {
      repository,
      to: this.#lockedRefs.target,
      pusherId,
      pusherAppId,
      publicOrigin: context.publicOrigin,
      at: context.now(),
      changes,
      objects,
      freshCommits: new Set(),
      later: this.#deferredInserts,
    };
  }
}

function cacheObjects(repository: RepositoryInTransaction, objects: readonly GitObject[]): void {
  // What is large has been stored, and is read from there.
  const kept = objects.filter(one => !(one instanceof LargeBlob));
  for (const object of kept) repository.cache.putObject(repository.id, new LoadedObject(object));
}
