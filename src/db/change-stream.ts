/**
 * The states of something, for a subscription: the state at the start, and the newest one after each notification. Notifications that
 * arrive while a reader is slow are one state. Pull-based, and no generator, because a generator that awaits a notification cannot be
 * closed before it arrives.
 */
export class ChangeStream<State> implements AsyncIterableIterator<State> {
  onClose: () => void = () => {};
  readonly #read: () => Promise<State | null>;
  #hasChanged = true;
  #closed = false;
  #last = '';
  #wake = (): void => {};

  /** @param read the current state with the permissions of the moment; null ends the stream */
  constructor(read: () => Promise<State | null>) {
    this.#read = read;
  }

  notify(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<State>> {
    for (;;) {
      if (this.#closed) return { done: true, value: undefined };
      if (!this.#hasChanged) {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#hasChanged = false;
      const state = await this.#read().catch(async (error: unknown) => {
        await this.return();
        throw error;
      });
      if (state === null || this.#closed) return this.return();
      const text = JSON.stringify(state);
      if (text === this.#last) continue;
      this.#last = text;
      return { done: false, value: state };
    }
  }

  async return(): Promise<IteratorResult<State>> {
    this.#closed = true;
    this.onClose();
    this.#wake();
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<State>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
