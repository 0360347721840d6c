import { type RawBuilder, sql } from 'kysely';

/** What deliveries belong to. */
export type DeliveryReceiver = { appId: number } | { hookId: number };

/** SQL condition over `d` (webhook_delivery): it belongs to the receiver. */
export const isOf = (receiver: DeliveryReceiver): RawBuilder<unknown> =>
  'appId' in receiver ? sql`d.app_id = ${receiver.appId}` : sql`d.hook_id = ${receiver.hookId}`;
