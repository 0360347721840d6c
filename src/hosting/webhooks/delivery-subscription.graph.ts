import { Arg, Ctx, ID, Resolver, Root, Subscription } from 'type-graphql';
import { WebhookDelivery } from '../../../schema/hosting/webhook.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { selectionOf } from '../../db/selection.ts';
import type { DeliveryRow } from './deliveries.queries.ts';
import { subscribeToDeliveries } from './delivery-subscription.ts';

@Resolver()
export class WebhookDeliverySubscriptions {
  @Access('tokens:write')
  @Subscription(() => WebhookDelivery, {
    nullable: true,
    subscribe: ({ args, context, info }) =>
      subscribeToDeliveries(
        context as Context,
        numberOfId('App', String(args.appId), 'appId'),
        selectionOf(info as Parameters<typeof selectionOf>[0]),
      ),
    description: 'Attempted deliveries of an app that you manage, each once. Ends when you lose access.',
  })
  webhookDeliveryAdded(
    @Root() delivery: DeliveryRow,
    @Arg('appId', () => ID, { description: 'Global id of the app.' }) _appId: string,
    @Ctx() context: Context,
  ): DeliveryRow {
    // Else the context would keep what it loaded for all earlier events.
    context.beginEvent();
    return delivery;
  }
}
