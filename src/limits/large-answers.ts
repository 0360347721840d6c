import { FairSlots } from '../workers/fair-slots.ts';

/** Answers that are made at a time, and that wait for it, by address. One of 27 MB takes half a second of the main thread. */
const slots = { size: 2, maxPerKey: 1, maxQueued: 100, maxQueuedPerKey: 20 };

/**
 * Bounds the answers of some megabytes, which are in memory as a whole until they are read: how many are made at a time, and how many
 * bytes wait for the readers of one IP address.
 */
export class LargeAnswers {
  readonly #maxUnreadBytes: number;
  readonly #unread = new Map<string, number>();
  readonly #slots = new FairSlots({ ...slots, fullError: () => new LargeAnswersBusyError() });

  constructor(maxUnreadBytes: number) {
    this.#maxUnreadBytes = maxUnreadBytes;
  }

  /**
   * Waits until an answer of about so many bytes may be made. Returns the function that ends its making, to be called once.
   * @throws LargeAnswersBusyError before any work for it
   */
  async begin(address: string, bytes: number): Promise<() => void> {
    if (!this.hasRoom(address, bytes)) throw new LargeAnswersBusyError();
    const end = await this.#slots.acquire(address);
    // What was made meanwhile may not have been read.
    if (this.hasRoom(address, bytes)) return end;
    end();
    throw new LargeAnswersBusyError();
  }

  /** Whether an answer may wait for its reader. One always may. */
  hasRoom(address: string, bytes: number): boolean {
    const waiting = this.#unread.get(address) ?? 0;
    return waiting === 0 || waiting + bytes <= this.#maxUnreadBytes;
  }

  /** Counts an answer that waits for its reader. Returns the function that ends it, to be called once. */
  addUnread(address: string, bytes: number): () => void {
    this.#unread.set(address, (this.#unread.get(address) ?? 0) + bytes);
    return () => {
      const left = (this.#unread.get(address) ?? 0) - bytes;
      if (left > 0) this.#unread.set(address, left);
      else this.#unread.delete(address);
    };
  }
}

/** Too many large answers wait for the readers of an address, or for being made. */
export class LargeAnswersBusyError extends Error {
  override readonly name = 'LargeAnswersBusyError';
}
