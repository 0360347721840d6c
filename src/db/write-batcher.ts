import { KeyedBatchQueue, type KeyedBatchQueueOptions, type Outcome } from './keyed-batch-queue.ts';

interface WriteBatcherOptions<Item>
  extends Pick<KeyedBatchQueueOptions<Item, void>, 'maxItems' | 'size' | 'intervalMs'> {
  /** Writes the items in one statement or one transaction. */
  write(items: readonly Item[]): Promise<unknown>;
}

/**
 * Writes rows in batches, at most one batch per `intervalMs` (20 when absent): at hundreds of rows a second, a round trip for
 * each row costs the gateway and PostgreSQL more than the row. A KeyedBatchQueue with one key that, when a batch fails, writes
 * its items one by one.
 */
export class WriteBatcher<Item> {
  readonly #write: WriteBatcherOptions<Item>['write'];
  readonly #queue: KeyedBatchQueue<Item, void>;

  constructor({ write, intervalMs = 20, ...limits }: WriteBatcherOptions<Item>) {
    this.#write = write;
    this.#queue = new KeyedBatchQueue({ ...limits, intervalMs, runBatch: items => this.#writeBatch(items) });
  }

  /** Resolves when the item is written. Rejects with the error of writing this item alone. */
  add(item: Item): Promise<void> {
    return this.#queue.run('', item);
  }

  async #writeBatch(items: readonly Item[]): Promise<Outcome<void>[]> {
    try {
      await this.#write(items);
      return items.map(() => ({ value: undefined }));
    } catch (error) {
      if (items.length === 1) return [{ error }];
      const outcomes: Outcome<void>[][] = [];
      for (const item of items) outcomes.push(await this.#writeBatch([item]));
      return outcomes.flat();
    }
  }
}
