/** Time that a reader waits for a snapshot. */
const maxWaitMs = 500;

/**
 * What was read last, for readers that must not wait: they get a new snapshot if it is there in half a second, and nothing otherwise. One
 * is read at a time, however many ask, so that a database that does not answer is asked once.
 */
export class BoundedSnapshot<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T | undefined> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Undefined if it fails or takes too long. */
  async read(): Promise<T | undefined> {
    this.#loading ??= this.#load()
      .catch(() => undefined)
      .finally(() => {
        this.#loading = undefined;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), maxWaitMs);
    });
    try {
      return await Promise.race([this.#loading, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
