import { answerTooLarge } from '../errors/errors.ts';

/**
 * Bytes of large values that one request may load: payloads of deliveries, bodies of articles, contents of files, commits.
 * More than the largest single value, a payload of 25 MB with its answer of 64 KB, so that every value can be read by itself;
 * held three times over (row, value, answer) it is some 100 MB.
 */
const maxBytes = 32 * 1024 * 1024;

/**
 * The budget of one request for large values. A page of 100 items can hold gigabytes of them, which neither the number of
 * objects nor that of pages shows, so sizes are compared with what is left before the values are loaded.
 */
export class LargeValues {
  #left = maxBytes;
  #last: Promise<unknown> = Promise.resolve();

  /** Whether the request has loaded any. */
  get isUsed(): boolean {
    return this.#left < maxBytes;
  }

  /** Takes `bytes` that are about to be loaded. Throws `answerTooLarge` where fewer are left. */
  take(bytes: number): void {
    if (bytes > this.#left) throw answerTooLarge();
    this.#left -= bytes;
  }

  /** Takes everything: for an answer whose size nobody knows before it is there, and which may be asked for once. */
  takeAll(): void {
    this.take(maxBytes);
  }

  /**
   * Runs a statement that loads only values that fit together into the bytes left, and says how many bytes it loaded. Statements
   * run one after the other: side by side each would load as much as is left.
   */
  read<T>(load: (left: number) => Promise<{ value: T; bytes: number }>): Promise<T> {
    const turn = this.#last.then(async () => {
      const { value, bytes } = await load(this.#left);
      this.#left = Math.max(0, this.#left - bytes);
      return value;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
