import { type Kysely, sql } from 'kysely';
import type { DeliveryReceiver } from './delivery-receiver.ts';

/** Deliveries in a row without an answer in time, from which on a receiver is paused after each. */
export const timeoutsToPause = 3;
/** Seconds of the first pause, and of the longest. Each is twice as long as the one before. */
const pauseSeconds = { first: 30, longest: 600 };
/** Age of a delivery from which on it no longer waits for a paused receiver, in milliseconds. */
export const maxPausedMs = 3_600_000;

const tableOf = (receiver: DeliveryReceiver) =>
  'appId' in receiver
    ? {
        name: sql.ref('app'),
        id: receiver.appId,
        timeouts: sql.ref('webhook_timeouts'),
        pausedUntil: sql.ref('webhook_paused_until'),
      }
    : {
        name: sql.ref('hook'),
        id: receiver.hookId,
        timeouts: sql.ref('timeouts'),
        pausedUntil: sql.ref('paused_until'),
      };

/** Counts a delivery without an answer in time. Returns until when the receiver is paused by it; null for not. */
export async function countTimeout(db: Kysely<unknown>, receiver: DeliveryReceiver, at: Date): Promise<string | null> {
  const { name, id, timeouts, pausedUntil } = tableOf(receiver);
  const { first, longest } = pauseSeconds;
  const { rows } = await sql<{ pausedUntil: string | null }>`
    update ${name} set ${timeouts} = ${timeouts} + 1, ${pausedUntil} = case when ${timeouts} + 1 < ${timeoutsToPause} then null
      else ${at}::timestamptz + make_interval(secs => least(${first} * power(2, least(${timeouts} + 1 - ${timeoutsToPause}, 10)), ${longest})) end
    where id = ${id} returning ${pausedUntil} as "pausedUntil"`.execute(db);
  return rows[0]?.pausedUntil ?? null;
}

/** A receiver has answered. */
export async function forgetTimeouts(db: Kysely<unknown>, receiver: DeliveryReceiver): Promise<void> {
  const { name, id, timeouts, pausedUntil } = tableOf(receiver);
  await sql`update ${name} set ${timeouts} = 0, ${pausedUntil} = null where id = ${id} and ${timeouts} > 0`.execute(db);
}

/** Ends a pause, at the wish of the owner. A receiver that still does not answer is paused by its next delivery. */
export async function resumeReceiver(db: Kysely<unknown>, receiver: DeliveryReceiver): Promise<void> {
  const { name, id, pausedUntil } = tableOf(receiver);
  await sql`update ${name} set ${pausedUntil} = null where id = ${id} and ${pausedUntil} is not null`.execute(db);
}
