import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { splitSignature } from './signed-commit.ts';
import { type Knowledge, type Verification, verifyCommit } from './verify-commit.ts';
import type { VerifyRun } from './verify-worker.ts';

/** A key of 64 KB takes 1.2 s to read. Waiting is bounded by the desk. */
const verifying: WorkerTask<VerifyRun, Verification> = {
  name: 'signatures',
  program: programBeside(import.meta.url, 'verify-worker'),
  deadlineMs: 3_000,
  maxQueued: 1_000,
  maxQueuedPerKey: 1_000,
  maxQueueMs: 5_000,
};

/** Letters of the largest key that is read on the main thread. A usual one has 700 to 3,200 and takes 1 to 2 ms. */
const maxMainThreadKey = 4_096;

export interface DeskLimits {
  /** Verifications at the same time, those that wait for their turn included. */
  most: number;
  /** Milliseconds until a caller is told that it takes too long. */
  patience: number;
}

/**
 * Verifies for all requests of a process. Whoever comes when too much is waiting, or waits too long, hears
 * `gpgverify_unavailable`, which nobody may store: the next one may be served. One at a time: it is work for one CPU.
 */
export class SignatureDesk {
  readonly #limits: DeskLimits;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: DeskLimits = { most: 200, patience: 5_000 }) {
    this.#limits = limits;
  }

  async verify(content: Buffer, subject: string, knowledge: Knowledge): Promise<Verification> {
    const signed = splitSignature(content);
    if (!signed) return { reason: 'unsigned', signature: null, payload: null };
    const away: Verification = {
      reason: 'gpgverify_unavailable',
      signature: signed.signature.toString(),
      payload: signed.payload.toString(),
    };
    if (this.#waiting >= this.#limits.most) return away;
    this.#waiting++;
    let isLate = false;
    const turn = this.#last.then(() => (isLate ? away : verified(content, subject, knowledge, away)));
    this.#last = turn.catch(() => {}).finally(() => this.#waiting--);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Verification>(resolve => {
      timer = setTimeout(() => {
        isLate = true;
        resolve(away);
      }, this.#limits.patience);
    });
    try {
      return await Promise.race([turn, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function verified(
  content: Buffer,
  subject: string,
  knowledge: Knowledge,
  away: Verification,
): Promise<Verification> {
  const isSmall = knowledge.keys.every(one => one.kind === 'ssh' || one.armored.length <= maxMainThreadKey);
  if (isSmall) return verifyCommit(content, subject, knowledge);
  const outcome = await workerPool.run(verifying, { content, subject, knowledge });
  if (outcome.kind === 'done') return outcome.value;
  return outcome.kind === 'busy' ? away : { ...away, reason: 'gpgverify_error' };
}
