/** Events that a notification announces and a query reads. Null from `read` ends the stream. */
type ReadEvents<Event> = () => Promise<Event[] | null>;

/**
 * Pull-based: a slow reader delays only its own next read. Not a generator, because a generator that awaits a
 * notification cannot be closed before it arrives.
 */
export class NotifiedStream<Event> implements AsyncIterableIterator<Event> {
  onClose: () => void = () => {};
  #read: ReadEvents<Event> | undefined;
  #buffer: Event[] = [];
  /** A notification arrived since the last read. */
  #mayHaveNews = true;
  #closed = false;
  #wake = (): void => {};

  start(read: ReadEvents<Event>): void {
    this.#read = read;
  }

  notify(): void {
    this.#mayHaveNews = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<Event>> {
    for (;;) {
      const [event] = this.#buffer.splice(0, 1);
      if (this.#closed || !this.#read) return { done: true, value: undefined };
      if (event !== undefined) return { done: false, value: event };
      if (!this.#mayHaveNews) {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#mayHaveNews = false;
      const events = await this.#read();
      if (events === null) return this.return();
      this.#buffer = events;
      // The table may hold more than one batch.
      if (events.length > 0) this.#mayHaveNews = true;
    }
  }

  async return(): Promise<IteratorResult<Event>> {
    this.#closed = true;
    this.onClose();
    this.#wake();
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<Event>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
