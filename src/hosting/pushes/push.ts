import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { GitError } from '../../git/git-error.ts';
import type { GitObject, ObjectType, Oid } from '../../git/object.ts';
import { LoadedObject } from '../../git/object-cache.ts';
import { demandClosed } from '../../git/reachable.ts';
import { statObjects } from '../../git/read-objects.ts';
import { lockNames, moveRefs } from '../../git/refs.ts';
import { inTransactionOf, type RepositoryInTransaction, repositoryOf } from '../../git/repository.ts';
import { writeObjects } from '../../git/write-objects.ts';
import { type Push, type PushSteps, pushSteps, type RefChange, type Violation } from './push-steps.ts';

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

/** Milliseconds that a push waits for others on the same ref. */
const patience = 2_500;

/**
 * The one way in which refs of a repository change: objects, rules, refs, events and deliveries in one transaction.
 *
 * Pushes to one ref take turns: the row of the ref is locked before it is read, so that a writer who builds on it
 * cannot lose a race, and others wait a little. Pushes to different refs do not meet, but for those that make refs.
 */
export async function push(
  context: Pick<Context, 'read' | 'transaction' | 'now'>,
  request: PushRequest,
  steps: PushSteps = pushSteps,
): Promise<PushResult> {
  const outside = repositoryOf(context.read, request.repositoryId);
  // Two pushes of the same refs lock them in one order, and so never wait for each other in a circle.
  const updates = request.updates.toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
  const twice = updates.find(({ ref }, at) => updates[at + 1]?.ref === ref);
  if (twice) throw new GitError('ref-conflict', twice.ref, `${twice.ref} is to be changed twice by one push.`);
  let share = (): void => {};
  try {
    const result = await context.transaction(async db => {
      const repository = inTransactionOf(db, outside);
      const work: Push = { repository, pusherId: request.pusherId, at: context.now(), changes: [], objects: [] };
      const { changes, objects } = await prepare(work, request, updates);
      if (changes.length === 0) return { kind: 'pushed' as const, changes };
      const judged = { ...work, changes, objects };
      const violations: Violation[] = [];
      for (const rule of steps.rules) violations.push(...(await rule(judged)));
      if (violations.length > 0) return { kind: 'refused' as const, violations };
      await writeObjects({ db, repositoryId: request.repositoryId, now: work.at }, objects);
      await move(repository, changes);
      for (const step of steps.events) await step(judged);
      for (const step of steps.deliveries) await step(judged);
      share = () => repository.cache.share();
      return { kind: 'pushed' as const, changes };
    });
    share();
    return result;
  } catch (error) {
    if (error instanceof Moved) return { kind: 'conflict', reason: 'moved', ...error.facts };
    if (!isBusy(error)) throw error;
    const ref = updates[0]?.ref ?? '';
    return { kind: 'conflict', reason: 'busy', ref, expected: updates[0]?.expected ?? undefined, actual: undefined };
  }
}

/** Locks the refs, and finds out where each goes and what that needs. */
async function prepare(
  { repository }: Push,
  request: PushRequest,
  updates: readonly RefUpdate[],
): Promise<{ changes: RefChange[]; objects: GitObject[] }> {
  const changes: RefChange[] = [];
  const objects: GitObject[] = [...(request.objects ?? [])];
  remember(repository, objects);
  const heads = await lock(
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
  return { changes, objects };
}

function remember(repository: RepositoryInTransaction, objects: readonly GitObject[]): void {
  for (const object of objects) repository.cache.remember(repository.id, new LoadedObject(object));
}

/** Refuses refs to what is not there, and branches of anything but commits. */
async function demandEnds(repository: RepositoryInTransaction, changes: readonly RefChange[]): Promise<void> {
  const types = new Map<Oid, ObjectType>();
  const unknown = new Set<Oid>();
  for (const { new: end } of changes) {
    if (end === undefined) continue;
    const known = repository.cache.object(repository.id, end);
    if (known) types.set(end, known.type);
    else unknown.add(end);
  }
  for (const [oid, { type }] of await statObjects(repository, [...unknown])) types.set(oid, type);
  for (const { ref, new: end } of changes) {
    if (end === undefined) continue;
    const type = types.get(end);
    if (!type) throw new GitError('missing', end, `The repository has no object ${end} for ${ref} to point to.`);
    if (ref.startsWith('refs/heads/') && type !== 'commit') {
      throw new GitError('wrong-type', end, `The branch ${ref} can only point to a commit, and ${end} is a ${type}.`);
    }
  }
}

/**
 * Locks the refs and reads them, in one statement: PostgreSQL reads a row again after it has waited for its lock. A ref that
 * is not there has no row to lock: whoever may make it locks the names of the repository and looks again.
 */
async function lock(repository: RepositoryInTransaction, refs: readonly string[]): Promise<Map<string, Oid>> {
  const locked = async (): Promise<Map<string, Oid>> => {
    const rows = await repository.read<{ name: string; oid: Buffer }>(sql`
      with patience as materialized (select set_config('lock_timeout', ${`${patience}`}, true))
      select git_ref.name, git_ref.oid from patience, git_ref
      where git_ref.repository_id = ${repository.id} and git_ref.name = any(${[...refs]})
      order by git_ref.name for update of git_ref`);
    return new Map(rows.map(({ name, oid }) => [name, oid.toString('hex')]));
  };
  const found = await locked();
  if (refs.every(ref => found.has(ref))) return found;
  // Where no row was found PostgreSQL need not have looked at what else the statement says.
  await sql`select set_config('lock_timeout', ${`${patience}`}, true)`.execute(repository.db);
  await lockNames(repository.db, repository.id);
  return locked();
}

async function move(repository: RepositoryInTransaction, changes: readonly RefChange[]): Promise<void> {
  const moves = changes.map(({ ref, old, new: to }) => ({ name: ref, old, to }));
  const ref = await moveRefs(repository.db, repository.id, moves);
  // Under the lock this does not happen; should somebody write refs without it, nothing is lost here.
  if (ref !== undefined)
    throw new Moved({ ref, expected: moves.find(one => one.name === ref)?.old, actual: undefined });
}

/** Ends the transaction of a push whose ref stood elsewhere. */
class Moved extends Error {
  readonly facts: { ref: string; expected: Oid | undefined; actual: Oid | undefined };

  constructor(facts: Moved['facts']) {
    super(`${facts.ref} is at ${facts.actual} and was expected at ${facts.expected}.`);
    this.facts = facts;
  }
}

/** 55P03: waited for a lock for too long. 40P01: waited in a circle, which PostgreSQL ended. */
function isBusy(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const { code } = cause as { code?: unknown };
    if (code === '55P03' || code === '40P01') return true;
  }
  return false;
}
