import { captureOutcome, KeyedBatchQueue, type Outcome } from '../../db/keyed-batch-queue.ts';
import { perDatabase } from '../../db/per-database.ts';
import { isLockConflict } from '../../db/sql-state.ts';
import { GitError } from '../../git/git-error.ts';
import { LargeBlob } from '../../git/object.ts';
import { openRepository } from '../../git/repository.ts';
import { deleteOwnObjects, writeObjects } from '../../git/write-objects.ts';
import { Semaphore } from '../../workers/semaphore.ts';
import { recordGrowth } from '../repositories/repository-growth.ts';
import { RefMovedError, refMovedResult, waitTimeoutMs } from './lock-refs.ts';
import { type PushPipeline, pushPipeline } from './push-pipeline.ts';
import type { PushContext, PushRequest, PushResult, QueuedPush } from './push-request.ts';
import { PushTransaction } from './push-transaction.ts';

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
  steps: PushPipeline = pushPipeline,
): Promise<PushResult> {
  // Two pushes of the same refs lock them in one order, and so never wait for each other in a circle.
  const updates = request.updates.toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
  const twice = updates.find(({ ref }, at) => updates[at + 1]?.ref === ref);
  if (twice) throw new GitError('ref-conflict', twice.ref, `${twice.ref} is to be changed twice by one push.`);
  const job = { context, request: { ...request, updates }, steps };
  const [only, ...others] = updates;
  if (largeBlobsOf(request).length > 0) return largePushSlots.run(() => pushAlone(job));
  if (!only || others.length > 0 || request.isUntrusted) return pushAlone(job);
  return queueFor(context.read).run(`${request.repositoryId}:${only.ref}`, job);
}

/** Pushes of one transaction. A push that waits behind them, in this process or another, waits for all of them. */
const maxPushesPerBatch = 16;

const queueFor = perDatabase(
  () =>
    new KeyedBatchQueue<QueuedPush, PushResult>({
      runBatch: pushBatch,
      maxItems: maxPushesPerBatch,
      timeout: { ms: waitTimeoutMs, result: ({ request }) => busyResult(request) },
    }),
);

/** A push that stores large blobs has its connection for seconds, and tens of megabytes: of a process, so many at a time. */
const largePushSlots = new Semaphore(2);

async function pushAlone(job: QueuedPush): Promise<PushResult> {
  const { context, request } = job;
  const outside = openRepository(context.read, request.repositoryId);
  let publishCache = (): void => {};
  try {
    const result = await context.transaction(async db => {
      const largeBlobs = largeBlobsOf(request);
      const target = { db, repositoryId: request.repositoryId, now: context.now() };
      // Before the refs are locked: what takes seconds keeps nobody from writing them.
      const { bytes } = await writeObjects(target, largeBlobs);
      const transaction = await PushTransaction.begin(
        db,
        outside,
        request.updates.map(({ ref }) => ref),
      );
      const outcome = await transaction.take(job);
      if (!('value' in outcome)) throw outcome.error;
      await transaction.end();
      if (isStored(outcome.value)) {
        await recordGrowth(db, { repositoryId: request.repositoryId, bytes });
        publishCache = () => transaction.share();
      } else {
        await deleteOwnObjects(
          target,
          largeBlobs.map(({ oid }) => oid),
        );
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

/** Several pushes to one ref, one after the other in one transaction. What is thrown is for that push alone. */
async function pushBatch(jobs: readonly QueuedPush[]): Promise<Outcome<PushResult>[]> {
  const [first, ...others] = jobs;
  if (!first) return [];
  if (others.length === 0) return [await captureOutcome(pushAlone(first))];
  const { context, request } = first;
  const outside = openRepository(context.read, request.repositoryId);
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
        for (const job of jobs) outcomes.push(await transaction.take(job));
        await transaction.end();
        publishCache = () => transaction.share();
        return outcomes;
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    });
    publishCache();
    return outcomes;
  } catch (error) {
    // At the commit itself: whether it came about, nobody knows, and a second try might make every push twice.
    if (!hasFailed) return jobs.map(() => ({ error }));
    // All of them have waited for as long.
    if (isLockConflict(error)) return jobs.map(({ request }) => ({ value: busyResult(request) }));
  }
  const outcomes: Outcome<PushResult>[] = [];
  for (const job of jobs) outcomes.push(await captureOutcome(pushAlone(job)));
  return outcomes;
}

/** Whether what the push has brought is kept. */
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
