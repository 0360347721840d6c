import { captureOutcome, KeyedBatchQueue, type Outcome } from '../../db/keyed-batch-queue.ts';
import { perDatabase } from '../../db/per-database.ts';
import { isLockConflict } from '../../db/sql-state.ts';
import { lockAgainstCollection } from '../../git/collection-lock.ts';
import { GitError } from '../../git/git-error.ts';
import { LargeBlob } from '../../git/object.ts';
import type { ObjectTarget } from '../../git/object-rows.ts';
import { openRepository } from '../../git/repository.ts';
import { deleteOwnObjects, writeObjects } from '../../git/write-objects.ts';
import { Semaphore } from '../../workers/semaphore.ts';
import { recordGrowth } from '../repositories/repository-growth.ts';
import { RefMovedError, refMovedResult, waitTimeoutMs } from './lock-refs.ts';
import { type PushPipeline, pushPipeline } from './push-pipeline.ts';
import type { PushContext, PushRequest, PushResult, QueuedPush, StoredObjects } from './push-request.ts';
import { PushTransaction } from './push-transaction.ts';

/**
 * The only way to change refs: objects, rules, refs, events and deliveries in one transaction.
 *
 * Pushes to one ref are serialised: the row of the ref is locked before it is read, so that a writer that builds on it
 * cannot lose a race. Pushes to different refs run in parallel, except creations of refs. Within a process, pushes to
 * one ref wait in a queue and are group-committed: each of them still succeeds or fails as a whole, and gets its result
 * after the commit.
 */
export async function push(
  context: PushContext,
  request: PushRequest,
  pipeline: PushPipeline = pushPipeline,
): Promise<PushResult> {
  // Refs are locked in one order, so that two pushes cannot deadlock.
  const updates = request.updates.toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
  const twice = updates.find(({ ref }, at) => updates[at + 1]?.ref === ref);
  if (twice) throw new GitError('ref-conflict', twice.ref, `${twice.ref} is to be changed twice by one push.`);
  const job = { context, request: { ...request, updates }, pipeline };
  const [only, ...others] = updates;
  if (largeBlobsOf(request).length > 0 || request.store) return largePushSlots.run(() => pushAlone(job));
  if (!only || others.length > 0 || request.isUntrusted || context.hasCheck) return pushAlone(job);
  const result = await queueFor(context.read).run(`${request.repositoryId}:${only.ref}`, job);
  await context.recordGroupCommit?.();
  return result;
}

/** Pushes of one transaction. A push that waits behind them, in this process or another, waits for all of them. */
const maxPushesPerBatch = 16;

const queueFor = perDatabase(
  () =>
    new KeyedBatchQueue<QueuedPush, PushResult>({
      runBatch: pushBatch,
      maxItems: maxPushesPerBatch,
      deadlineOf: ({ context }) => context.deadline,
      timeout: { ms: waitTimeoutMs, outcome: ({ request }) => ({ value: busyResult(request) }) },
    }),
);

/**
 * A push with large blobs, or with more objects than memory takes, holds a connection for seconds and tens of megabytes of memory; a process runs two at a time.
 */
const largePushSlots = new Semaphore(2);

async function pushAlone(job: QueuedPush): Promise<PushResult> {
  const { context, request } = job;
  const outside = openRepository(context, request.repositoryId);
  let publishCache = (): void => {};
  try {
    const result = await context.transaction(async db => {
      const largeBlobs = largeBlobsOf(request);
      const target = { db, repositoryId: request.repositoryId, now: context.now() };
      if (largeBlobs.length > 0 || request.store) await lockAgainstCollection(db, request.repositoryId);
      // Before the refs are locked: a slow upload must not block other pushes.
      const { bytes } = await writeObjects(target, largeBlobs);
      const stored = await request.store?.(target);
      const transaction = await PushTransaction.begin(
        db,
        outside,
        request.updates.map(({ ref }) => ref),
      );
      const outcome = await transaction.apply(stored ? { ...job, storedCommits: stored.commits } : job);
      if (!('value' in outcome)) throw outcome.error;
      const spareBytes = stored ? await deleteSpareObjects(target, stored, request, outcome.value) : 0;
      await transaction.finish();
      if (isStored(outcome.value)) {
        await recordGrowth(db, {
          repositoryId: request.repositoryId,
          bytes: bytes + (stored?.bytes ?? 0) - spareBytes,
        });
        publishCache = () => transaction.publishCache();
      } else {
        await deleteOwnObjects(target, [...largeBlobs.map(({ oid }) => oid), ...(stored?.oids ?? [])]);
      }
      return outcome.value;
    });
    publishCache();
    return result;
  } catch (error) {
    if (error instanceof RefMovedError) return refMovedResult(error);
    if (!isLockConflict(error)) throw error;
    return busyResult(request);
  }
}

/** Runs several pushes to one ref in one transaction. An error of one push does not affect the others. */
async function pushBatch(jobs: readonly QueuedPush[]): Promise<Outcome<PushResult>[]> {
  const [first, ...others] = jobs;
  if (!first) return [];
  if (others.length === 0) return [await captureOutcome(pushAlone(first))];
  const { context, request } = first;
  const outside = openRepository(context, request.repositoryId);
  let hasFailed = false;
  let publishCache = (): void => {};
  try {
    const outcomes = await context.transaction(async db => {
      try {
        const outcomes: Outcome<PushResult>[] = [];
        const transaction = await PushTransaction.begin(
          db,
          outside,
          request.updates.map(({ ref }) => ref),
        );
        for (const job of jobs) outcomes.push(await transaction.apply(job));
        await transaction.finish();
        publishCache = () => transaction.publishCache();
        return outcomes;
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    });
    publishCache();
    return outcomes;
  } catch (error) {
    // The commit itself failed: its outcome is unknown, and a retry could apply every push twice.
    if (!hasFailed) return jobs.map(() => ({ error }));
    // All of them have waited equally long.
    if (isLockConflict(error)) return jobs.map(({ request }) => ({ value: busyResult(request) }));
  }
  const outcomes: Outcome<PushResult>[] = [];
  for (const job of jobs) outcomes.push(await captureOutcome(pushAlone(job)));
  return outcomes;
}

/** Deletes the stored objects that only refused updates need. Returns their bytes. */
async function deleteSpareObjects(
  target: ObjectTarget,
  stored: StoredObjects,
  { hasSpareObjects }: PushRequest,
  result: PushResult,
): Promise<number> {
  if (result.kind !== 'pushed' || result.changes.length === 0) return 0;
  if (!hasSpareObjects && !result.rejected?.length) return 0;
  const tips = result.changes.flatMap(change => change.new ?? []);
  return deleteOwnObjects(target, await stored.unreachableFrom(tips));
}

/** Whether the objects of the push are kept. */
function isStored(result: PushResult): boolean {
  return result.kind === 'pushed' && result.changes.length > 0;
}

function largeBlobsOf({ objects = [] }: PushRequest): LargeBlob[] {
  return objects.filter(one => one instanceof LargeBlob);
}

function busyResult({ updates }: PushRequest): PushResult {
  const ref = updates[0]?.ref ?? '';
  return { kind: 'conflict', reason: 'busy', ref, expected: updates[0]?.expected ?? undefined, actual: undefined };
}
