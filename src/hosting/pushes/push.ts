import { perDatabase } from '../../db/per-database.ts';
import { GitError } from '../../git/git-error.ts';
import { LargeBlob } from '../../git/object.ts';
import { repositoryOf } from '../../git/repository.ts';
import { removeOwn, writeObjects } from '../../git/write-objects.ts';
import { Semaphore } from '../../workers/semaphore.ts';
import { noteGrowth } from '../repositories/repository-growth.ts';
import { isBusy, Moved, moved, patience } from './lock-refs.ts';
import type { Job, PushContext, PushRequest, PushResult } from './push-request.ts';
import { type PushSteps, pushSteps } from './push-steps.ts';
import { PushTransaction } from './push-transaction.ts';
import { type Outcome, outcomeOf, TurnQueue } from './push-turns.ts';

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
  if (largeOf(request).length > 0) return largePushes.run(() => alone(job));
  if (!only || others.length > 0 || request.isForeign) return alone(job);
  return queueOf(context.read).run(`${request.repositoryId}:${only.ref}`, job);
}

const queueOf = perDatabase(
  () => new TurnQueue<Job, PushResult>({ work: together, patience, late: ({ request }) => busy(request) }),
);

/** A push that stores large blobs has its connection for seconds, and tens of megabytes: of a process, so many at a time. */
const largePushes = new Semaphore(2);

async function alone(job: Job): Promise<PushResult> {
  const { context, request } = job;
  const outside = repositoryOf(context.read, request.repositoryId);
  let share = (): void => {};
  try {
    const result = await context.transaction(async db => {
      const early = largeOf(request);
      const target = { db, repositoryId: request.repositoryId, now: context.now() };
      // Before the refs are locked: what takes seconds keeps nobody from writing them.
      const { bytes } = await writeObjects(target, early);
      const pushes = await PushTransaction.begin(
        db,
        outside,
        request.updates.map(({ ref }) => ref),
      );
      const outcome = await pushes.take(job);
      if (!('value' in outcome)) throw outcome.error;
      await pushes.end();
      if (isStored(outcome.value)) {
        await noteGrowth(db, { repositoryId: request.repositoryId, bytes });
        share = () => pushes.share();
      } else {
        await removeOwn(
          target,
          early.map(({ oid }) => oid),
        );
      }
      return outcome.value;
    });
    share();
    return result;
  } catch (error) {
    if (error instanceof Moved) return moved(error);
    if (!isBusy(error)) throw error;
    return busy(request);
  }
}

/** Several pushes to one ref, one after the other in one transaction. What is thrown is for that push alone. */
async function together(jobs: readonly Job[]): Promise<Outcome<PushResult>[]> {
  const [first, ...others] = jobs;
  if (!first) return [];
  if (others.length === 0) return [await outcomeOf(alone(first))];
  const { context, request } = first;
  const outside = repositoryOf(context.read, request.repositoryId);
  let hasFailed = false;
  let share = (): void => {};
  try {
    const outcomes = await context.transaction(async db => {
      try {
        const outcomes: Outcome<PushResult>[] = [];
        const pushes = await PushTransaction.begin(
          db,
          outside,
          request.updates.map(({ ref }) => ref),
        );
        for (const job of jobs) outcomes.push(await pushes.take(job));
        await pushes.end();
        share = () => pushes.share();
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

/** Whether what the push has brought is kept. */
function isStored(result: PushResult): boolean {
  return result.kind === 'pushed' && result.changes.length > 0;
}

function largeOf({ objects = [] }: PushRequest): LargeBlob[] {
  return objects.filter(one => one instanceof LargeBlob);
}

function busy({ updates }: PushRequest): PushResult {
  const ref = updates[0]?.ref ?? '';
  return { kind: 'conflict', reason: 'busy', ref, expected: updates[0]?.expected ?? undefined, actual: undefined };
}
