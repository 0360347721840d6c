import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { type DeliveryReceiver, isOf } from './delivery-receiver.ts';
import { resumeReceiver } from './receiver-pause.ts';
import { repeatDelivery } from './send-delivery.ts';

/** How long a delivery can be redelivered. */
const redeliveryWindowMs = 3 * 24 * 60 * 60_000;

/**
 * Enqueues a past delivery of an app or a hook again, as a new delivery with the same GUID and payload.
 *
 * @throws 404 when the receiver has no such sent delivery; 422 when it is older than three days.
 */
export async function redeliver(
  context: Pick<Context, 'transaction' | 'now'>,
  receiver: DeliveryReceiver,
  id: number,
): Promise<void> {
  const now = context.now();
  await context.transaction(async db => {
    const found = await sql<{ isOld: boolean }>`
      select delivered_at < ${new Date(now.getTime() - redeliveryWindowMs)} as "isOld" from webhook_delivery d
      where d.id = ${id} and ${isOf(receiver)} and delivered_at is not null`.execute(db);
    const [delivery] = found.rows;
    if (!delivery) throw notFound();
    if (delivery.isOld) throw validationFailed([], 'Deliveries that are older than 3 days cannot be redelivered.');
    await resumeReceiver(db, receiver);
    await repeatDelivery(db, id, now, { attempt: 1 });
  });
}

/**
 * Number of the app or the hook of a sent delivery. Whether the caller may use it is not checked.
 *
 * @throws 404 when no receiver of this kind has such a delivery.
 */
export async function requireReceiverOf(
  { read }: Pick<Context, 'read'>,
  kind: 'app' | 'hook',
  id: number,
): Promise<number> {
  const column = sql.ref(`${kind}_id`);
  const [found] = await read(sql<{ receiverId: number }>`
    select ${column} as "receiverId" from webhook_delivery
    where id = ${id} and ${column} is not null and delivered_at is not null`);
  if (!found) throw notFound();
  return found.receiverId;
}
