import { sql } from 'kysely';
import { isCredentialLive } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { LargeValues, maxLargeBytes } from '../../limits/large-values.ts';
import { deliveryChannel } from './delivery-channel.ts';
import { type DeliveryRow, deliveriesByIds, requireWebhook, webhooksByApps } from './webhooks.queries.ts';

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
  const stream = new DeliveryStream(context, appId, wanted);
  // LISTEN before reading what is there: an attempt in between would be missed otherwise.
  stream.onClose = await context.notifications.subscribe(deliveryChannel, String(appId), () => stream.notify());
  try {
    await stream.skipPresent();
    return stream;
  } catch (error) {
    await stream.return();
    throw error;
  }
}

/** Pull-based, so that a slow reader delays only its own next read; no generator, because one that waits cannot be closed. */
class DeliveryStream implements AsyncIterableIterator<DeliveryRow> {
  onClose: () => void = () => {};
  readonly #context: Context;
  readonly #appId: number;
  readonly #wanted: Selection;
  /** Time of the last read (ms). */
  #readAt: number;
  /** Attempts that were there before or are delivered, as far as a read can find them again. */
  #known = new Set<number>();
  #buffer: number[] = [];
  #mayHaveNews = false;
  #closed = false;
  #wake = (): void => {};

  constructor(context: Context, appId: number, wanted: Selection) {
    this.#context = context;
    this.#appId = appId;
    this.#wanted = wanted;
    this.#readAt = context.now().getTime();
  }

  async skipPresent(): Promise<void> {
    await this.#read();
  }

  notify(): void {
    this.#mayHaveNews = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<DeliveryRow>> {
    for (;;) {
      if (this.#closed) return { done: true, value: undefined };
      if (this.#buffer.length === 0 && !this.#mayHaveNews) {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        continue;
      }
      try {
        const delivery = await this.#step();
        if (delivery === 'no access') return await this.return();
        if (delivery && !this.#closed) return { done: false, value: delivery };
      } catch (error) {
        await this.return();
        throw error;
      }
    }
  }

  /** The next delivery; null if a read found none. */
  async #step(): Promise<DeliveryRow | null | 'no access'> {
    if (!(await this.#hasAccess())) return 'no access';
    if (this.#buffer.length === 0) {
      this.#mayHaveNews = false;
      this.#buffer = await this.#read();
    }
    const id = this.#buffer.shift();
    if (id === undefined) return null;
    // Each event has the limit of one response; the context lasts as long as the subscription.
    const largeValues = new LargeValues(maxLargeBytes.graphql);
    const [row] = await deliveriesByIds({ read: this.#context.read, largeValues }, [id], this.#wanted);
    return row ?? null;
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
  async #read(): Promise<number[]> {
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

  async return(): Promise<IteratorResult<DeliveryRow>> {
    this.#closed = true;
    this.onClose();
    this.#wake();
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<DeliveryRow>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
