import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Read } from '../../db/read.ts';
import { GitError } from '../../git/git-error.ts';
import { type GitObject, LargeBlob, type Oid } from '../../git/object.ts';
import { LoadedObject } from '../../git/object-cache.ts';
import { demandClosed } from '../../git/reachable.ts';
import { inTransactionOf, type RepositoryInTransaction, repositoryOf } from '../../git/repository.ts';
import { removeOwn, writeObjects } from '../../git/write-objects.ts';
import { noteGrowth } from '../repositories/repository-growth.ts';
import { demandEnds } from './demand-ends.ts';
import { isBusy, lockRefs, Moved, moveLocked, patience } from './lock-refs.ts';
import { demandPushRights, type PushRights } from './push-rights.ts';
import { type PushSteps, pushSteps } from './push-steps.ts';
import { LimitedTurns, type Outcome, outcomeOf, TurnQueue } from './push-turns.ts';
import type { Push, RefChange, Violation } from './push-work.ts';

/** A ref that is to be changed. */
export interface RefUpdate {
  /** Full name: refs/heads/main */
  ref: string;
  /** Where it must stand: an id, or null for a ref that must not be there. Absent: wherever it stands. */
  expected?: Oid | null;
  /**
   * Where it goes, null to delete it. A function is asked while nobody else can move the ref: it is given where the ref
   * stands and reads the repository through what it is given, and through nothing else.
   */
  to: Oid | null | ((head: Oid | undefined, repository: RepositoryInTransaction) => Promise<Brought>);
}

/** A new end of a ref and the objects it needs. */
export interface Brought {
  to: Oid | null;
  objects: readonly GitObject[];
}

export interface PushRequest {
  repositoryId: number;
  /** Undefined for the installation itself. */
  pusherId?: number;
  /** An app that pushes for itself. */
  pusherAppId?: number;
  /** What the caller may do beyond writing; undefined for the installation itself. */
  rights?: PushRights;
  /** All of them change, or none does. */
  updates: readonly RefUpdate[];
  objects?: readonly GitObject[];
  /** Whether others made the objects: then everything they point to is looked up before they are stored. */
  isForeign?: boolean;
}

export type PushResult =
  | { kind: 'pushed'; changes: RefChange[] }
  /** Rules said no. Nothing was stored but what they wrote. */
  | { kind: 'refused'; violations: Violation[] }
  /** `moved`: the ref stands elsewhere, at `actual`. `busy`: others were writing it for longer than somebody should wait. */
  | { kind: 'conflict'; ref: string; reason: 'moved' | 'busy'; expected: Oid | undefined; actual: Oid | undefined };

/** `origin` is missing where nobody asked by HTTP. */
type PushContext = Pick<Context, 'read' | 'transaction' | 'now'> & Partial<Pick<Context, 'origin'>>;

/** A push that somebody waits for. */
interface Job {
  context: PushContext;
  request: PushRequest;
  steps: PushSteps;
}

/**
 * The one way in which refs of a repository change: objects, rules, refs, events and deliveries in one transaction.
 *
 * Pushes to one ref take turns: the row of the ref is locked before it is read, so that a writer who builds on it
 * cannot lose a race, and others wait a little. Pushes to different refs do not meet, but for those that make refs.
 * Those of one process wait in a queue and not at the row, and whoever came meanwhile is stored with one commit of the
 * database: each of them still is wholly there or not at all, and is told so after that commit.
 */
export async function push(
  context: PushContext,
  request: PushRequest,
  steps: PushSteps = pushSteps,
): Promise<PushResult> {
  // Two pushes of the same refs lock them in one order, and so never wait for each other in a circle.
  const updates = request.updates.toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
  const twice = updates.find(({ ref }, at) => updates[at + 1]?.ref === ref);
  if (twice) throw new GitError('ref-conflict', twice.ref, `${twice.ref} is to be changed twice by one push.`);
  const job = { context, request: { ...request, updates }, steps };
  const [only, ...others] = updates;
  if (largeOf(request).length > 0) return largeTurns.run(() => alone(job));
  if (!only || others.length > 0 || request.isForeign) return alone(job);
  let queue = queues.get(context.read);
  if (!queue) {
    queue = new TurnQueue({ work: together, patience, late: ({ request }) => busy(request) });
    queues.set(context.read, queue);
  }
  return queue.run(`${request.repositoryId}:${only.ref}`, job);
}

/** One for each database that a process has opened: in another one the same ids are other repositories. */
const queues = new WeakMap<Read, TurnQueue<Job, PushResult>>();

/** A push that stores large blobs has its connection for seconds, and tens of megabytes: of a process, so many at a time. */
const largeTurns = new LimitedTurns(2);

async function alone(job: Job): Promise<PushResult> {
  const { context, request, steps } = job;
  const outside = repositoryOf(context.read, request.repositoryId);
  let share = (): void => {};
  try {
    const result = await context.transaction(async db => {
      const repository = inTransactionOf(db, outside);
      const early = largeOf(request);
      const target = { db, repositoryId: request.repositoryId, now: context.now() };
      // Before the refs are locked: what takes seconds keeps nobody from writing them.
      const before = await writeObjects(target, early);
      const work = await prepare(repository, job);
      const { result, bytes } = await store(work, steps);
      if (!isStored(result)) {
        const oids = early.map(({ oid }) => oid);
        await removeOwn(target, oids);
        return result;
      }
      await noteGrowth(db, { repositoryId: request.repositoryId, bytes: before + bytes, pushedAt: work.at });
      share = () => repository.cache.share();
      return result;
    });
    share();
    return result;
  } catch (error) {
    return failureOf(error, request);
  }
}

/** Several pushes to one ref, one after the other in one transaction. What is thrown is for that push alone. */
async function together(jobs: readonly Job[]): Promise<Outcome<PushResult>[]> {
  const [first, ...others] = jobs;
  if (!first) return [];
  if (others.length === 0) return [await outcomeOf(alone(first))];
  const outside = repositoryOf(first.context.read, first.request.repositoryId);
  let hasFailed = false;
  let share = (): void => {};
  try {
    const outcomes = await first.context.transaction(async db => {
      const all = inTransactionOf(db, outside);
      share = () => all.cache.share();
      try {
        const outcomes: Outcome<PushResult>[] = [];
        const growth: Growth = { bytes: 0 };
        for (const job of jobs) outcomes.push(await inTurn(all, job, growth));
        await noteGrowth(db, { repositoryId: first.request.repositoryId, ...growth });
        return outcomes;
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    });
    share();
    return outcomes;
  } catch (error) {
    // At the commit itself: whether it came about, nobody knows, and a second try might make every push twice.
    if (!hasFailed) return jobs.map(() => ({ error }));
    // All of them have waited for as long.
    if (isBusy(error)) return jobs.map(({ request }) => ({ value: busy(request) }));
  }
  const outcomes: Outcome<PushResult>[] = [];
  for (const job of jobs) outcomes.push(await outcomeOf(alone(job)));
  return outcomes;
}

/** By how much the pushes of a transaction let their repository grow, and when the last of them was. */
interface Growth {
  bytes: number;
  pushedAt?: Date;
}

/** One of several pushes of a transaction. Throws what has spoilt the transaction for all of them. */
async function inTurn(all: RepositoryInTransaction, job: Job, growth: Growth): Promise<Outcome<PushResult>> {
  // What a push that fails has brought is seen by none of the others.
  const repository = inTransactionOf(all.db, all);
  let work: Push;
  try {
    work = await prepare(repository, job);
  } catch (error) {
    // Until here nothing was written. After an error of PostgreSQL nothing else can be: it says so.
    await sql`select 1`.execute(all.db).catch(() => {
      throw error;
    });
    return error instanceof Moved ? { value: moved(error) } : { error };
  }
  const { result, bytes } = await store(work, job.steps);
  if (isStored(result)) {
    repository.cache.share();
    growth.bytes += bytes;
    growth.pushedAt = work.at;
  }
  return { value: result };
}

/** Rules, objects, refs and what follows, in the transaction of the push. `bytes`: what the repository grew by. */
async function store(work: Push, steps: PushSteps): Promise<{ result: PushResult; bytes: number }> {
  const { repository, changes, objects } = work;
  const pushed = { kind: 'pushed' as const, changes: [...changes] };
  if (changes.length === 0) return { result: pushed, bytes: 0 };
  const violations: Violation[] = [];
  for (const rule of steps.rules) violations.push(...(await rule(work)));
  if (violations.length > 0) return { result: { kind: 'refused', violations }, bytes: 0 };
  const kept = objects.filter(one => !(one instanceof LargeBlob));
  const bytes = await writeObjects({ db: repository.db, repositoryId: repository.id, now: work.at }, kept);
  await moveLocked(repository, changes);
  for (const step of steps.events) await step(work);
  for (const step of steps.deliveries) await step(work);
  return { result: pushed, bytes };
}

/** Whether what the push has brought is kept. */
function isStored(result: PushResult): boolean {
  return result.kind === 'pushed' && result.changes.length > 0;
}

function largeOf({ objects = [] }: PushRequest): LargeBlob[] {
  return objects.filter(one => one instanceof LargeBlob);
}

/** The result that an error amounts to; thrown again where it is none. */
function failureOf(error: unknown, request: PushRequest): PushResult {
  if (error instanceof Moved) return moved(error);
  if (!isBusy(error)) throw error;
  return busy(request);
}

function moved({ facts }: Moved): PushResult {
  return { kind: 'conflict', reason: 'moved', ...facts };
}

function busy({ updates }: PushRequest): PushResult {
  const ref = updates[0]?.ref ?? '';
  return { kind: 'conflict', reason: 'busy', ref, expected: updates[0]?.expected ?? undefined, actual: undefined };
}

/** Locks the refs, and finds out where each goes and what that needs. */
async function prepare(repository: RepositoryInTransaction, { context, request }: Job): Promise<Push> {
  const { updates } = request;
  const changes: RefChange[] = [];
  const objects: GitObject[] = [...(request.objects ?? [])];
  remember(repository, objects);
  const heads = await lockRefs(
    repository,
    updates.map(({ ref }) => ref),
  );
  for (const { ref, expected, to } of updates) {
    const old = heads.get(ref);
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
  const { pusherId, pusherAppId, rights } = request;
  if (rights && changes.length > 0) await demandPushRights(repository, changes, rights);
  return { repository, pusherId, pusherAppId, origin: context.origin, at: context.now(), changes, objects };
}

function remember(repository: RepositoryInTransaction, objects: readonly GitObject[]): void {
  // What is large has been stored, and is read from there.
  const kept = objects.filter(one => !(one instanceof LargeBlob));
  for (const object of kept) repository.cache.remember(repository.id, new LoadedObject(object));
}
