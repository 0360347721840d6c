interface WriteBatcherOptions<Item> {
  /** Writes them, by one statement or in one transaction. */
  write(items: readonly Item[]): Promise<unknown>;
  /** Items of one group. */
  maxItems: number;
  /** Bytes of an item, and of all that one group holds; one item alone may be larger. */
  size?: { bytesOf(item: Item): number; maxBytes: number };
  /** Milliseconds between the beginnings of two groups. 20 when absent. */
  intervalMs?: number;
}

interface PendingItem<Item> {
  item: Item;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes at once when little is to be written, and what comes within the next moment together: by itself each of hundreds of
 * rows a second would be a statement, of which the round trip costs the gateway and PostgreSQL more than the row.
 */
export class WriteBatcher<Item> {
  readonly #options: WriteBatcherOptions<Item>;
  readonly #pending: PendingItem<Item>[] = [];
  #isWriting = false;

  constructor(options: WriteBatcherOptions<Item>) {
    this.#options = options;
  }

  /** Resolves when the item is written. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // What is done in the same turn of the event loop is one group.
      setImmediate(() => void this.#drain());
    });
  }

  async #drain(): Promise<void> {
    const { intervalMs = 20 } = this.#options;
    while (this.#pending.length > 0) {
      const from = performance.now();
      await this.#write(this.#takeBatch());
      const left = intervalMs - (performance.now() - from);
      if (left > 0) await new Promise(resolve => setTimeout(resolve, left));
    }
    this.#isWriting = false;
  }

  #takeBatch(): PendingItem<Item>[] {
    const { maxItems, size } = this.#options;
    let count = 0;
    for (let bytes = 0; count < Math.min(maxItems, this.#pending.length); count++) {
      bytes += size?.bytesOf((this.#pending[count] as PendingItem<Item>).item) ?? 0;
      if (count > 0 && size && bytes > size.maxBytes) break;
    }
    return this.#pending.splice(0, count);
  }

  async #write(batch: readonly PendingItem<Item>[]): Promise<void> {
    try {
      await this.#options.write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      // One that PostgreSQL does not take must not take the others with it.
      if (batch.length > 1) for (const one of batch) await this.#write([one]);
      else batch[0]?.reject(error);
    }
  }
}
