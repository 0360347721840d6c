import { sql } from 'kysely';
import { isCredentialLive } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { type NotifiedBatch, openNotifiedStream } from '../../db/notified-stream.ts';
import type { Selection } from '../../db/selection.ts';
import { LargeValues, maxLargeBytes } from '../../limits/large-values.ts';
import { type DeliveryRow, deliveriesByIds } from './deliveries.queries.ts';
import { deliveryChannel } from './delivery-channel.ts';
import { requireWebhook, webhooksByApps } from './webhooks.queries.ts';

/** Attempts are recorded in batches, by workers whose clocks differ: one may be stored this much after a later one. */
const overlapMs = 120_000;
/** Newest deliveries of the app that one read looks at. A delivery that was postponed behind more of them is not announced. */
const maxRead = 1_000;

/**
 * Subscribes to the attempted deliveries of an app. A notification only says that there are new ones; they are read with the
 * permissions of that moment, and the subscription ends when there are none.
 *
 * @throws 404 for an app that the caller does not manage; 403 for a credential that does not cover its permissions
 */
export async function subscribeToDeliveries(
  context: Context,
  appId: number,
  wanted: Selection,
): Promise<AsyncIterableIterator<DeliveryRow>> {
  await requireWebhook(context, appId);
  const deliveries = new NewDeliveries(context, appId, wanted);
  return openNotifiedStream(context.notifications, {
    channel: deliveryChannel,
    topic: String(appId),
    async prepare() {
      await deliveries.skipPresent();
      return () => deliveries.read();
    },
    readsAtOnce: false,
  });
}

/** The attempted deliveries of an app that no read has found before. */
class NewDeliveries {
  readonly #context: Context;
  readonly #appId: number;
  readonly #wanted: Selection;
  /** Time of the last read (ms). */
  #readAt: number;
  /** Attempts that were there before or are delivered, as far as a read can find them again. */
  #known = new Set<number>();
  /** Attempts that are found and not delivered yet. */
  #waiting: number[] = [];

  constructor(context: Context, appId: number, wanted: Selection) {
    this.#context = context;
    this.#appId = appId;
    this.#wanted = wanted;
    this.#readAt = context.now().getTime();
  }

  async skipPresent(): Promise<void> {
    await this.#findNew();
  }

  /** One delivery at a time: access is judged for each, and a payload may be large. Null without access. */
  async read(): Promise<NotifiedBatch<DeliveryRow> | null> {
    if (!(await this.#hasAccess())) return null;
    const looks = this.#waiting.length === 0;
    if (looks) this.#waiting = await this.#findNew();
    const id = this.#waiting.shift();
    if (id === undefined) return { events: [], hasMore: false };
    // Each event has the limit of one response; the context lasts as long as the subscription.
    const largeValues = new LargeValues(maxLargeBytes.graphql);
    const [row] = await deliveriesByIds({ read: this.#context.read, largeValues }, [id], this.#wanted);
    // A read that takes what waits answers no notification.
    return { events: row ? [row] : [], hasMore: !looks || this.#waiting.length > 0 };
  }

  async #hasAccess(): Promise<boolean> {
    const { actor, now, read } = this.#context;
    const [[webhook], [credential]] = await Promise.all([
      webhooksByApps(this.#context, [this.#appId]),
      read(sql<{ isLive: boolean }>`select ${isCredentialLive(actor, now())} as "isLive"`),
    ]);
    return webhook != null && !(webhook instanceof Error) && credential?.isLive === true;
  }

  /** Ids of the new attempts, oldest first. */
  async #findNew(): Promise<number[]> {
    const since = new Date(this.#readAt - overlapMs);
    const readAt = this.#context.now().getTime();
    const found = await this.#context.read(sql<{ id: number }>`
      select id from (
        select id, delivered_at from webhook_delivery where app_id = ${this.#appId} and delivered_at is not null
        order by id desc limit ${sql.lit(maxRead)}) latest
      where delivered_at >= ${since} order by delivered_at, id`);
    this.#readAt = readAt;
    const fresh = found.flatMap(({ id }) => (this.#known.has(id) ? [] : [id]));
    // The next read starts later, so it finds no attempt that this one no longer finds.
    this.#known = new Set(found.map(({ id }) => id));
    return fresh;
  }
}
