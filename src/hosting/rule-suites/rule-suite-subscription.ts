import type { Context } from '../../context/context.ts';
import { openNotifiedStream } from '../../db/notified-stream.ts';
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
  const suites = new NewRuleSuites(context, repositoryId);
  return openNotifiedStream(context.notifications, {
    channel: ruleSuiteChannel,
    topic: String(repositoryId),
    async prepare() {
      await suites.skipPresent();
      return async () => {
        const events = await suites.read();
        // There may be more than one page.
        return events && { events, hasMore: events.length > 0 };
      };
    },
    readsAtOnce: false,
  });
}

/** The suites of a repository that no read has found before. */
class NewRuleSuites {
  readonly #context: Dependencies;
  readonly #repositoryId: number;
  /** Time of the last read (ms). */
  #readAt: number;
  /** Suites that were there before or are delivered, with the time of their push (ms), as long as a read finds them. */
  #known = new Map<number, number>();

  constructor(context: Dependencies, repositoryId: number) {
    this.#context = context;
    this.#repositoryId = repositoryId;
    this.#readAt = context.now().getTime();
  }

  /** @throws 404 if the caller has lost access meanwhile */
  async skipPresent(): Promise<void> {
    for (;;) {
      const present = await this.read();
      if (present === null) throw notFound();
      if (present.length === 0) return;
    }
  }

  /** A page of new suites; null without access. */
  async read(): Promise<RuleSuiteRow[] | null> {
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
}
