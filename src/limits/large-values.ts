import { responseTooLarge } from '../errors/errors.ts';

/**
 * Maximum bytes of large values that one request may load: webhook payloads, article bodies, file contents, commits.
 * `rest` exceeds the largest single value, a webhook payload of 25 MB with a response of 64 KB; held three times (row, value,
 * response) it needs about 100 MB. A GraphQL document can combine values, and the main thread parses and serializes them: 8 MB
 * take about 60 ms, 32 MB took 300 ms.
 */
export const maxLargeBytes = { rest: 32 * 1024 * 1024, graphql: 8 * 1024 * 1024 } as const;

/** Values of this size and more make a large answer, of which few are made at a time. */
const minPreparedBytes = 1024 * 1024;

/** Maximum of the values of one list: 30 commit messages of 1 MB held the main thread for 270 ms while they were serialized. */
const maxListBytes = maxLargeBytes.graphql;

/** Waits until a large answer of the request may be made; returns at once when one of it has begun. */
export type BeginLarge = (bytes: number) => Promise<void>;

/**
 * Limits the bytes of large values that one request loads. A page of 100 items can hold gigabytes, which neither the number of
 * objects nor of pages shows, so sizes are compared with the remaining bytes before values are loaded.
 */
export class LargeValues {
  readonly #maxBytes: number;
  readonly #beginLarge: BeginLarge | undefined;
  #left: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(maxBytes: number = maxLargeBytes.rest, beginLarge?: BeginLarge) {
    this.#maxBytes = maxBytes;
    this.#beginLarge = beginLarge;
    this.#left = maxBytes;
  }

  /** The error for a value that exceeds the limit. */
  tooLarge(): Error {
    return responseTooLarge(this.#maxBytes);
  }

  /** Reserves bytes before they are loaded. @throws responseTooLarge if fewer remain */
  take(bytes: number): void {
    if (bytes > this.#left) throw this.tooLarge();
    this.#left -= bytes;
  }

  /** Reserves the bytes of all values of a list. @throws responseTooLarge */
  takeList(bytes: number): void {
    if (bytes > maxListBytes) throw responseTooLarge(maxListBytes);
    this.take(bytes);
  }

  /** The same for a value that may be large: waits until few others are made. @throws as `take`; an error for too many large answers */
  async reserve(bytes: number): Promise<void> {
    this.take(bytes);
    if (bytes >= minPreparedBytes) await this.#beginLarge?.(bytes);
  }

  /** Reserves everything: for one response whose size is known only after loading. @throws as `reserve` */
  reserveAll(): Promise<void> {
    return this.reserve(this.#maxBytes);
  }

  /**
   * Runs a statement that receives the remaining bytes, loads only values that fit, and returns how many bytes it loaded.
   * Statements run in sequence: concurrent ones would each load as much as remains.
   */
  read<T>(load: (left: number) => Promise<{ value: T; bytes: number }>): Promise<T> {
    const turn = this.#last.then(async () => {
      const { value, bytes } = await load(this.#left);
      this.#left = Math.max(0, this.#left - bytes);
      if (bytes >= minPreparedBytes) await this.#beginLarge?.(bytes);
      return value;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
