import { splitSignature } from './signed-commit.ts';
import { type Knowledge, type Verification, verifyCommit } from './verify-commit.ts';

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
    const turn = this.#last.then(() => (isLate ? away : verifyCommit(content, subject, knowledge)));
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
