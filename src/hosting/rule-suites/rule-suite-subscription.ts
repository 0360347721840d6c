import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { ruleSuiteChannel } from '../rules/rule-suite-channel.ts';
import { type RuleSuiteRow, requireSuiteRepository, suitesSince } from './rule-suites.queries.ts';

/** Suites are stored in transactions that overlap, on gateways whose clocks differ: one may appear this much after a later one. */
const overlapMs = 120_000;

type Dependencies = Pick<Context, 'actor' | 'now' | 'read'>;

/**
 * Subscribes to the suites of a repository. Throws what reading its suites throws. A notification only says that there are new
 * ones; they are read with the permissions of that moment, and the subscription ends when there are none.
 */
export async function subscribeToRuleSuites(
  context: Context,
  repositoryId: number,
): Promise<AsyncIterableIterator<RuleSuiteRow>> {
  await requireSuiteRepository(context, { id: repositoryId });
  const stream = new RuleSuiteStream(context, repositoryId);
  // LISTEN before reading what is there: a suite in between would be missed otherwise.
  const unsubscribe = await context.notifications.subscribe(ruleSuiteChannel, String(repositoryId), () =>
    stream.notify(),
  );
  stream.onClose = unsubscribe;
  try {
    await stream.skipPresent();
    return stream;
  } catch (error) {
    unsubscribe();
    throw error;
  }
}

/** Pull-based, so that a slow reader delays only its own next read; no generator, because one that waits cannot be closed. */
class RuleSuiteStream implements AsyncIterableIterator<RuleSuiteRow> {
  onClose: () => void = () => {};
  readonly #context: Dependencies;
  readonly #repositoryId: number;
  /** Time of the last read (ms). */
  #readAt: number;
  /** Suites that were there before or are delivered, with the time of their push (ms), as long as a read finds them. */
  #known = new Map<number, number>();
  #buffer: RuleSuiteRow[] = [];
  #mayHaveNews = false;
  #closed = false;
  #wake = (): void => {};

  constructor(context: Dependencies, repositoryId: number) {
    this.#context = context;
    this.#repositoryId = repositoryId;
    this.#readAt = context.now().getTime();
  }

  /** @throws 404 if the caller has lost access meanwhile */
  async skipPresent(): Promise<void> {
    for (;;) {
      const present = await this.#read();
      if (present === null) throw notFound();
      if (present.length === 0) return;
    }
  }

  notify(): void {
    this.#mayHaveNews = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<RuleSuiteRow>> {
    for (;;) {
      const suite = this.#buffer.shift();
      if (this.#closed) return { done: true, value: undefined };
      if (suite) return { done: false, value: suite };
      if (!this.#mayHaveNews) {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#mayHaveNews = false;
      const found = await this.#read();
      if (found === null) return this.return();
      this.#buffer = found;
      // There may be more than one page.
      if (found.length > 0) this.#mayHaveNews = true;
    }
  }

  async #read(): Promise<RuleSuiteRow[] | null> {
    const since = this.#readAt - overlapMs;
    const now = this.#context.now();
    const known = [...this.#known.keys()];
    const found = await suitesSince(this.#context, this.#repositoryId, { since: new Date(since), known, now });
    if (found === null) return null;
    for (const { databaseId, pushedAt } of found) this.#known.set(databaseId, Date.parse(pushedAt));
    // A full page may leave older suites for the next read.
    if (found.length === 0) {
      this.#readAt = now.getTime();
      for (const [id, at] of this.#known) if (at < this.#readAt - overlapMs) this.#known.delete(id);
    }
    return found;
  }

  async return(): Promise<IteratorResult<RuleSuiteRow>> {
    this.#closed = true;
    this.onClose();
    this.#wake();
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<RuleSuiteRow>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
