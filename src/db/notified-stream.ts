import type { Notifications } from './notifications.ts';

/** Events that a notification announces, as a query finds them. */
export interface NotifiedBatch<Event> {
  events: Event[];
  /** Whether another read may find more without another notification. */
  hasMore: boolean;
}

/** Reads what is new, with the permissions of the moment. Null ends the stream. */
export type ReadBatch<Event> = () => Promise<NotifiedBatch<Event> | null>;

interface StreamOptions<Event> {
  channel: string;
  /** Payload of the notifications. */
  topic: string;
  /** Runs once LISTEN is in effect, so that nothing is missed in between; what it throws refuses the subscription. */
  prepare(): Promise<ReadBatch<Event>>;
  /** Whether to read before the first notification. */
  readsAtOnce: boolean;
}

/**
 * Opens a stream of events for a subscription. A notification only says that there is something new; `read` finds it, so that a
 * lost notification loses no event.
 * @throws what `prepare` throws
 */
export async function openNotifiedStream<Event>(
  notifications: Notifications,
  { channel, topic, prepare, readsAtOnce }: StreamOptions<Event>,
): Promise<AsyncIterableIterator<Event>> {
  const stream = new NotifiedStream<Event>(readsAtOnce);
  const unsubscribe = await notifications.subscribe(channel, topic, () => stream.notify());
  try {
    stream.start(await prepare(), unsubscribe);
    return stream;
  } catch (error) {
    unsubscribe();
    throw error;
  }
}

/**
 * Pull-based: a slow reader delays only its own next read. Not a generator, because a generator that awaits a notification cannot be
 * closed before it arrives.
 */
class NotifiedStream<Event> implements AsyncIterableIterator<Event> {
  #unsubscribe = (): void => {};
  #read: ReadBatch<Event> | undefined;
  #buffer: Event[] = [];
  #mayHaveNews: boolean;
  #closed = false;
  #wake = (): void => {};

  constructor(mayHaveNews: boolean) {
    this.#mayHaveNews = mayHaveNews;
  }

  start(read: ReadBatch<Event>, unsubscribe: () => void): void {
    this.#read = read;
    this.#unsubscribe = unsubscribe;
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
      const batch = await this.#readOrClose(this.#read);
      if (batch === null) return this.return();
      this.#buffer = batch.events;
      if (batch.hasMore) this.#mayHaveNews = true;
    }
  }

  /** Who iterates does not call `return` after an error, and the subscription to notifications would stay. */
  async #readOrClose(read: ReadBatch<Event>): Promise<NotifiedBatch<Event> | null> {
    try {
      return await read();
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Event>> {
    this.#closed = true;
    this.#unsubscribe();
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
