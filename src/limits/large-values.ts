import { responseTooLarge } from '../errors/errors.ts';

/**
 * Bytes of large values that one request may load: payloads of deliveries, bodies of articles, contents of files, commits.
 * `rest` is more than the largest single value, a payload of 25 MB with its answer of 64 KB, which has a path of its own; held
 * three times over (row, value, answer) it is some 100 MB. A GraphQL document combines values as it likes, and the main thread
 * parses and writes them: 8 MB take it some 60 ms, 32 MB took 300.
 */
export const maxLargeBytes = { rest: 32 * 1024 * 1024, graphql: 8 * 1024 * 1024 } as const;

/**
 * The budget of one request for large values. A page of 100 items can hold gigabytes of them, which neither the number of
 * objects nor that of pages shows, so sizes are compared with what is left before the values are loaded.
 */
export class LargeValues {
  readonly #maxBytes: number;
  #left: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(maxBytes: number = maxLargeBytes.rest) {
    this.#maxBytes = maxBytes;
    this.#left = maxBytes;
  }

  /** Whether the request has loaded any. */
  get isUsed(): boolean {
    return this.#left < this.#maxBytes;
  }

  /** The refusal of a value that does not fit. */
  tooLarge(): Error {
    return responseTooLarge(this.#maxBytes);
  }

  /** Takes `bytes` that are about to be loaded. Throws `answerTooLarge` where fewer are left. */
  take(bytes: number): void {
    if (bytes > this.#left) throw this.tooLarge();
    this.#left -= bytes;
  }

  /** Takes everything: for an answer whose size is known only when it is there, and which a request may have once. */
  takeAll(): void {
    this.take(this.#maxBytes);
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
