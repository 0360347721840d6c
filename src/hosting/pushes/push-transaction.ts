import { GraphQLError } from 'graphql';
import { type Kysely, sql } from 'kysely';
import type { Outcome } from '../../db/keyed-batch-queue.ts';
import type { GitError } from '../../git/git-error.ts';
import { type GitObject, LargeBlob } from '../../git/object.ts';
import { LoadedObject } from '../../git/object-cache.ts';
import { assertShape } from '../../git/object-shape.ts';
import { assertConnected, assertStored, reachableAmong } from '../../git/reachable.ts';
import { openInTransaction, type Repository, type RepositoryInTransaction } from '../../git/repository.ts';
import { findUncreatableRefs } from '../../git/uncreatable-refs.ts';
import { WorkBudgetError } from '../../workers/work-budget.ts';
import { gitProblems } from '../git-problems.ts';
import { DeferredInserts } from './deferred-inserts.ts';
import { createdBranches, findFirstBranch, setDefaultBranch } from './first-branch.ts';
import { type LockedRefs, lockRefs, RefMovedError, refMovedResult } from './lock-refs.ts';
import type { PreparedPush, RefChange, Violation } from './prepared-push.ts';
import type { PushPipeline } from './push-pipeline.ts';
import type { PushContext, PushRequest, PushResult, QueuedPush, RejectedUpdate } from './push-request.ts';
import { pushRightsProblems } from './push-rights.ts';
import { PushWriteBuffer } from './push-write-buffer.ts';
import { refTargetProblems } from './ref-target-problems.ts';

/**
 * Runs pushes to the same refs one after the other in one transaction. Each is checked as if those before it were
 * stored. Writes are buffered until a step reads the database; nearly always none does, and all pushes are written
 * together at the end, so that a push has no database round trip of its own.
 */
export class PushTransaction {
  readonly #repository: RepositoryInTransaction;
  readonly #lockedRefs: LockedRefs;
  readonly #buffer: PushWriteBuffer;
  readonly #deferredInserts = new DeferredInserts();
  readonly #accepted: { push: PreparedPush; pipeline: PushPipeline }[] = [];

  private constructor(repository: RepositoryInTransaction, buffer: PushWriteBuffer, lockedRefs: LockedRefs) {
    this.#repository = repository;
    this.#buffer = buffer;
    this.#lockedRefs = lockedRefs;
  }

  /** Locks the refs; waits up to the lock timeout. */
  static async begin(db: Kysely<unknown>, outside: Repository, refs: readonly string[]): Promise<PushTransaction> {
    const buffer = new PushWriteBuffer(db, outside.id);
    const repository = openInTransaction(db, outside, () => buffer.flush());
    return new PushTransaction(repository, buffer, await lockRefs(db, outside.id, refs));
  }

  /** The result of one push, valid if the transaction commits. Throws when the whole transaction has failed. */
  async apply({ context, request, pipeline, storedCommits = [] }: QueuedPush): Promise<Outcome<PushResult>> {
    const { db } = this.#repository;
    if (this.#lockedRefs.target.isCopying) return { error: gitProblems.repositoryCopying() };
    // The objects of a failed push must be invisible to the others.
    const outside = { ...this.#repository, workBudget: context.workBudget };
    const repository = openInTransaction(db, outside, () => this.#buffer.flush());
    const rejected: RejectedUpdate[] = [];
    let push: PreparedPush;
    try {
      push = { ...(await this.#prepare(repository, context, request, rejected)), storedCommits };
    } catch (error) {
      if (this.#buffer.writeError !== undefined) throw this.#buffer.writeError;
      // Nothing of this push is written yet. The select fails when an SQL error has aborted the transaction.
      await sql`select 1`.execute(db).catch(() => {
        throw error;
      });
      return error instanceof RefMovedError ? { value: refMovedResult(error) } : { error };
    }
    const done = (changes: RefChange[]): Outcome<PushResult> => ({
      value: { kind: 'pushed', changes, ...(request.isPartial ? { rejected } : {}) },
    });
    if (push.changes.length === 0) return done([]);
    if (takesNoObjects(push, request))
      return { error: gitProblems.repositoryFull(request.rights?.maxRepositoryMb ?? 0) };
    // Before the rules, which may be about the default branch.
    const firstBranch = await findFirstBranch(repository, push.changes, push.target.defaultBranch);
    if (firstBranch !== undefined) push = { ...push, target: { ...push.target, defaultBranch: firstBranch } };
    const violations: Violation[] = [];
    try {
      for (const rule of pipeline.rules) for (const found of await rule(push)) violations.push(found);
    } catch (error) {
      // A coded error, such as a pattern that cannot be evaluated, or too much work, concerns this push only; nothing of it is written
      // yet.
      if (error instanceof GraphQLError || error instanceof WorkBudgetError) return { error };
      throw error;
    }
    if (violations.length > 0) {
      if (!request.isPartial) return { value: { kind: 'refused', violations } };
      const byRef = Map.groupBy(violations, ({ ref }) => ref);
      for (const [ref, found] of byRef) rejected.push({ ref, reason: 'rules', violations: found });
      push = { ...push, changes: push.changes.filter(({ ref }) => !byRef.has(ref)) };
      if (push.changes.length === 0) return done([]);
    }
    const uncreatable = await findUncreatableRefs(repository, createdAndDeleted(push.changes), request.rights?.refs);
    if (uncreatable.size > 0) {
      if (!request.isPartial) return { error: [...uncreatable.values()][0] };
      for (const [ref, error] of uncreatable) rejected.push({ ref, reason: 'error', error });
      push = { ...push, changes: push.changes.filter(({ ref }) => !uncreatable.has(ref)) };
      if (push.changes.length === 0) return done([]);
    }
    if (rejected.length > 0 || request.hasSpareObjects) push = { ...push, objects: await neededObjects(push) };
    if (firstBranch !== undefined) push = await this.#setFirstBranch(push, firstBranch);
    this.#buffer.add(push);
    this.#accepted.push({ push, pipeline });
    repository.cache.publish();
    for (const { ref, new: end } of push.changes) {
      if (end === undefined) this.#lockedRefs.heads.delete(ref);
      else this.#lockedRefs.heads.set(ref, end);
    }
    return done([...push.changes]);
  }

  /** A partial push may have lost the branch to a rule: then the next one that it creates is the default branch. */
  async #setFirstBranch(push: PreparedPush, firstBranch: string): Promise<PreparedPush> {
    const created = createdBranches(push.changes);
    const branch = created.includes(firstBranch) ? firstBranch : created[0];
    const { db, id } = this.#repository;
    if (branch === undefined) return { ...push, target: this.#lockedRefs.target };
    await setDefaultBranch(db, id, branch);
    this.#lockedRefs.target.defaultBranch = branch;
    return { ...push, target: this.#lockedRefs.target };
  }

  /** Writes everything that is buffered, and runs the events and deliveries. */
  async finish(): Promise<void> {
    await this.#buffer.flush();
    for (const { push, pipeline } of this.#accepted) {
      for (const step of pipeline.events) await step(push);
      for (const step of pipeline.deliveries) await step(push);
    }
    await this.#deferredInserts.write(this.#repository.db);
  }

  /** To be called after the commit. */
  publishCache(): void {
    this.#repository.cache.publish();
  }

  /** Computes the ref changes and objects of a push, and checks them. Adds to `rejected` what a partial push refuses. */
  async #prepare(
    repository: RepositoryInTransaction,
    context: PushContext,
    request: PushRequest,
    rejected: RejectedUpdate[],
  ): Promise<Omit<PreparedPush, 'storedCommits'>> {
    const { updates, pusherId, pusherAppId, isPartial, rights } = request;
    let changes: RefChange[] = [];
    const objects: GitObject[] = [];
    const { workBudget } = repository;
    const bring = async (brought: readonly GitObject[]): Promise<void> => {
      for (const object of brought) {
        if (rights) assertShape(object, rights.shape);
        objects.push(object);
        cacheObject(repository, object);
        workBudget.spendSteps(stepsPerObject);
        if (workBudget.isTurnDue) await workBudget.turn();
      }
    };
    await bring(request.objects ?? []);
    for (const { ref, expected, to } of updates) {
      const old = this.#lockedRefs.heads.get(ref);
      if (expected !== undefined && (expected ?? undefined) !== old) {
        const conflict = { ref, expected: expected ?? undefined, actual: old };
        if (!isPartial) throw new RefMovedError(conflict);
        rejected.push({ reason: 'moved', ...conflict });
        continue;
      }
      const made = typeof to === 'function' ? await to(old, repository) : { to, objects: [] };
      await bring(made.objects);
      if ((made.to ?? undefined) !== old) changes.push({ ref, old, new: made.to ?? undefined });
    }
    if (request.links && request.links.size > 0) await assertStored(repository, request.links);
    if (request.isUntrusted) await assertConnected(repository, objects);
    changes = await admittedChanges(repository, changes, request, rejected);
    return {
      repository,
      target: this.#lockedRefs.target,
      pusherId,
      pusherAppId,
      publicOrigin: context.publicOrigin,
      at: context.now(),
      changes,
      objects,
      newCommitIds: new Set(),
      deferredInserts: this.#deferredInserts,
    };
  }
}

/** Whether the push adds to a repository that has reached its limit. The push that crosses the limit is accepted. */
function takesNoObjects({ changes, target }: PreparedPush, { rights }: PushRequest): boolean {
  return (
    rights !== undefined &&
    target.storedBytes > rights.maxRepositoryMb * 1024 * 1024 &&
    changes.some(change => change.new !== undefined)
  );
}

function createdAndDeleted(changes: readonly RefChange[]): { created: string[]; deleted: string[] } {
  const created: string[] = [];
  const deleted: string[] = [];
  for (const { ref, old, new: end } of changes) {
    if (old === undefined && end !== undefined) created.push(ref);
    else if (end === undefined) deleted.push(ref);
  }
  return { created, deleted };
}

/** The changes that are admitted. Adds the others of a partial push to `rejected`. @throws GitError, GraphQLError */
async function admittedChanges(
  repository: RepositoryInTransaction,
  changes: readonly RefChange[],
  { rights, isPartial }: PushRequest,
  rejected: RejectedUpdate[],
): Promise<RefChange[]> {
  let left = [...changes];
  const reject = (problems: ReadonlyMap<RefChange, GitError | GraphQLError>): void => {
    if (problems.size === 0) return;
    for (const [{ ref }, error] of problems) {
      if (!isPartial) throw error;
      rejected.push({ ref, reason: 'error', error });
    }
    left = left.filter(change => !problems.has(change));
  };
  reject(await refTargetProblems(repository, left));
  if (rights && left.length > 0) reject(await pushRightsProblems(repository, left, rights));
  return left;
}

/** The objects of a push that its changes need. */
async function neededObjects({ objects, changes, repository }: PreparedPush): Promise<GitObject[]> {
  const reached = await reachableAmong(
    objects.filter(one => !(one instanceof LargeBlob)),
    changes.flatMap(change => change.new ?? []),
    repository.workBudget,
  );
  return objects.filter(({ oid }) => reached.has(oid));
}

function cacheObject(repository: RepositoryInTransaction, object: GitObject): void {
  // Large blobs are already stored and are read from the database.
  if (!(object instanceof LargeBlob)) repository.cache.putObject(repository.id, new LoadedObject(object));
}

/** Work of taking one object, some µs. */
const stepsPerObject = 4;
