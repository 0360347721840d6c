/** Time that a reader waits for a snapshot. */
const maxWaitMs = 500;

/**
 * What was read last, for readers that must not wait: they get a new snapshot if it is there in half a second, or else the last one if it
 * is not older than `keptMs`. One is read at a time, however many ask, so that a database that does not answer is asked once.
 */
export class BoundedSnapshot<T> {
  readonly #load: () => Promise<T>;
  readonly #keptMs: number;
  #loading: Promise<T | undefined> | undefined;
  #last: { value: T; at: number } | undefined;

  /** @param keptMs 0 by default: an old snapshot says nothing */
  constructor(load: () => Promise<T>, keptMs = 0) {
    this.#load = load;
    this.#keptMs = keptMs;
  }

  /** Undefined if it fails or takes too long. */
  async read(): Promise<T | undefined> {
    this.#loading ??= this.#refresh();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), maxWaitMs);
    });
    try {
      return (await Promise.race([this.#loading, late])) ?? this.#kept();
    } finally {
      clearTimeout(timer);
    }
  }

  async #refresh(): Promise<T | undefined> {
    try {
      const value = await this.#load();
      this.#last = { value, at: performance.now() };
      return value;
    } catch {
      return undefined;
    } finally {
      this.#loading = undefined;
    }
  }

  #kept(): T | undefined {
    return this.#last && performance.now() - this.#last.at <= this.#keptMs ? this.#last.value : undefined;
  }
}
