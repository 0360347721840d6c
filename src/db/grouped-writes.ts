interface GroupedWritesOptions<Item> {
  /** Writes them, by one statement or in one transaction. */
  write(items: readonly Item[]): Promise<unknown>;
  /** Items of one group. */
  most: number;
  /** Bytes of an item, and of all that one group holds; one item alone may be larger. */
  size?: { of(item: Item): number; most: number };
  /** Milliseconds between the beginnings of two groups. 20 when absent. */
  pause?: number;
}

interface Waiting<Item> {
  item: Item;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes at once when little is to be written, and what comes within the next moment together: by itself each of hundreds of
 * rows a second would be a statement, of which the round trip costs the gateway and PostgreSQL more than the row.
 */
export class GroupedWrites<Item> {
  readonly #options: GroupedWritesOptions<Item>;
  readonly #waiting: Waiting<Item>[] = [];
  #isWriting = false;

  constructor(options: GroupedWritesOptions<Item>) {
    this.#options = options;
  }

  /** Resolves when the item is written. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // What is done in the same turn of the event loop is one group.
      setImmediate(() => void this.#writeAll());
    });
  }

  async #writeAll(): Promise<void> {
    const { pause = 20 } = this.#options;
    while (this.#waiting.length > 0) {
      const from = performance.now();
      await this.#write(this.#next());
      const left = pause - (performance.now() - from);
      if (left > 0) await new Promise(resolve => setTimeout(resolve, left));
    }
    this.#isWriting = false;
  }

  #next(): Waiting<Item>[] {
    const { most, size } = this.#options;
    let count = 0;
    for (let bytes = 0; count < Math.min(most, this.#waiting.length); count++) {
      bytes += size?.of((this.#waiting[count] as Waiting<Item>).item) ?? 0;
      if (count > 0 && size && bytes > size.most) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#options.write(group.map(({ item }) => item));
      for (const { resolve } of group) resolve();
    } catch (error) {
      // One that PostgreSQL does not take must not take the others with it.
      if (group.length > 1) for (const one of group) await this.#write([one]);
      else group[0]?.reject(error);
    }
  }
}
