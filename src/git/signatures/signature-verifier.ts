import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { splitSignature } from './signed-commit.ts';
import {
  type SignatureVerification,
  type VerificationInput,
  type VerificationReason,
  verifyCommit,
} from './verify-commit.ts';
import type { VerifyJob } from './verify-worker.ts';

/** Reading a key of 64 KB takes 1.2 s. SignatureVerifier limits the wait. */
const verifyTask: WorkerTask<VerifyJob, SignatureVerification> = {
  name: 'signatures',
  program: programBeside(import.meta.url, 'verify-worker'),
  deadlineMs: 3_000,
  maxQueued: 1_000,
  maxQueuedPerKey: 1_000,
  maxQueueMs: 5_000,
};

/**
 * Maximum size of a key that is read on the main thread. A usual one has 700 to 3,200 characters and takes 1 to 2 ms.
 */
const maxMainThreadKeyChars = 4_096;
/** Maximum size of a commit that is hashed on the main thread: 1 ms. */
const maxMainThreadBytes = 256 * 1024;

/** Verdicts that are kept, 300 bytes each, and the time for which one holds: a key may expire meanwhile. */
const maxKept = 10_000;
const keptMs = 10 * 60 * 1000;

export interface SignatureVerifierLimits {
  /** Maximum concurrent verifications, including those that wait. */
  maxPending: number;
  /** Milliseconds after which the caller gets `gpgverify_unavailable`. */
  waitTimeoutMs: number;
}

/**
 * Verifies signatures for all requests of a process, one at a time: the work is CPU-bound, and a key of 64 KB takes a second. The
 * verdict is kept for `keptMs`. A caller that exceeds a limit gets `gpgverify_unavailable`, which is not kept, because the next attempt
 * may succeed.
 */
export class SignatureVerifier {
  readonly #limits: SignatureVerifierLimits;
  readonly #kept = new LRUCache<string, VerificationReason>({ max: maxKept });
  #pending = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: SignatureVerifierLimits = { maxPending: 200, waitTimeoutMs: 5_000 }) {
    this.#limits = limits;
  }

  /** `subject`: the id of the commit. */
  async verify(content: Buffer, subject: string, input: VerificationInput): Promise<SignatureVerification> {
    const signed = splitSignature(content);
    if (!signed) return { reason: 'unsigned', signature: null, payload: null };
    const texts = { signature: signed.signature.toString(), payload: signed.payload.toString() };
    const place = keyOf(subject, input);
    const kept = this.#kept.get(place);
    if (kept) return { reason: kept, ...texts };
    const unavailable: SignatureVerification = { reason: 'gpgverify_unavailable', ...texts };
    if (this.#pending >= this.#limits.maxPending) return unavailable;
    this.#pending++;
    let isLate = false;
    const turn = this.#last.then(() => (isLate ? unavailable : verifyOnThread(content, subject, input, unavailable)));
    this.#last = turn.catch(() => {}).finally(() => this.#pending--);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<SignatureVerification>(resolve => {
      timer = setTimeout(() => {
        isLate = true;
        resolve(unavailable);
      }, this.#limits.waitTimeoutMs);
    });
    try {
      const found = await Promise.race([turn, late]);
      if (found.reason !== 'gpgverify_unavailable') this.#kept.set(place, found.reason);
      return found;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Everything that the verdict depends on. The keys and addresses of an account change at any time, so they are a part of it. */
function keyOf(subject: string, { keys, emails, now }: VerificationInput): string {
  const known = createHash('sha256')
    .update(JSON.stringify([keys, emails]))
    .digest('base64');
  return `${subject} ${Math.floor(now.getTime() / keptMs)} ${known}`;
}

async function verifyOnThread(
  content: Buffer,
  subject: string,
  input: VerificationInput,
  unavailable: SignatureVerification,
): Promise<SignatureVerification> {
  const hasSmallKeys = input.keys.every(one => one.kind === 'ssh' || one.armored.length <= maxMainThreadKeyChars);
  if (hasSmallKeys && content.length <= maxMainThreadBytes) return verifyCommit(content, subject, input);
  const outcome = await workerPool.run(verifyTask, { content, subject, input });
  if (outcome.kind === 'done') return outcome.value;
  return outcome.kind === 'busy' ? unavailable : { ...unavailable, reason: 'gpgverify_error' };
}
