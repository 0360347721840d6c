import type { GraphQLResolveInfo } from 'graphql';
import { WebhookDeliveryConnection } from '../../../schema/hosting/webhook.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { KeysetConnection, keysetSliceOf } from '../../db/keyset-connection.ts';
import { selectionOf } from '../../db/selection.ts';
import type { DeliveriesArgs } from './deliveries.args.ts';
import { type DeliveryRow, deliveriesByIds, deliveriesOfReceivers, firstOfPreviousPage } from './deliveries.queries.ts';
import type { DeliveryReceiver } from './delivery-receiver.ts';

/** A page of the deliveries of a receiver. `field` names the list in cursors. */
export function deliveriesOfReceiver(
  context: Context,
  receiver: DeliveryReceiver,
  field: string,
  { outcome, since, ...args }: DeliveriesArgs,
): KeysetConnection<DeliveryRow> {
  const [kind, id] = 'appId' in receiver ? (['app', receiver.appId] as const) : (['hook', receiver.hookId] as const);
  const slice = keysetSliceOf(args, WebhookDeliveryConnection);
  const filter = { outcome, since };
  const list = batchedList(
    context,
    field,
    { ...filter, ...slice },
    id,
    deliveriesOfReceivers(context, kind, filter, slice),
  );
  const source = {
    rows: list.rows,
    total: list.total,
    previous: (key: number) => firstOfPreviousPage(context, receiver, filter, { from: key, first: slice.limit }),
  };
  return new KeysetConnection(WebhookDeliveryConnection, source, slice, ({ databaseId }) => databaseId);
}

/** The delivery with a global id; null if it is one of another receiver. */
export async function deliveryOfReceiver(
  context: Context,
  receiver: DeliveryReceiver,
  id: string,
  info: GraphQLResolveInfo,
): Promise<DeliveryRow | null> {
  const number = numberOfId('WebhookDelivery', id, 'id');
  const found = await context.load(deliveriesByIds, selectionOf(info)).load(number);
  const isTheirs = 'appId' in receiver ? found?.appId === receiver.appId : found?.hookId === receiver.hookId;
  return found && isTheirs ? found : null;
}
