import { type RawBuilder, sql } from 'kysely';

/** What deliveries belong to. */
export type DeliveryReceiver = { appId: number } | { hookId: number };

/** SQL condition over `d` (webhook_delivery): it belongs to the receiver. */
export const isOf = (receiver: DeliveryReceiver): RawBuilder<unknown> =>
  'appId' in receiver ? sql`d.app_id = ${receiver.appId}` : sql`d.hook_id = ${receiver.hookId}`;

/** Names the receiver of a delivery, whose row has one of the two, to limits in memory. */
export const receiverKey = ({ appId, hookId }: { appId: number | null; hookId: number | null }): string =>
  hookId === null ? `app ${appId}` : `hook ${hookId}`;
