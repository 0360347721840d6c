import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Resolver, Root } from 'type-graphql';
import { App } from '../../../schema/hosting/app.ts';
import { Installation } from '../../../schema/hosting/installation.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  DeliveryRequest,
  DeliveryResponse,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryConnection,
} from '../../../schema/hosting/webhook.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { storedJson } from '../../../schema/vocabulary/stored-json.ts';
import type { Context } from '../../context/context.ts';
import type { KeysetConnection } from '../../db/keyset-connection.ts';
import { selectionOf } from '../../db/selection.ts';
import type { AppRow, InstallationRow } from '../apps/apps.queries.ts';
import { installationsByIds } from '../apps/managed-apps.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { DeliveriesArgs } from './deliveries.args.ts';
import type { DeliveryRow, ExchangedRow } from './deliveries.queries.ts';
import { deliveriesOfReceiver, deliveryOfReceiver } from './receiver-deliveries.ts';
import { type WebhookRow, webhooksByApps } from './webhooks.queries.ts';

@Resolver(() => App)
export class AppWebhookFields {
  @FieldResolver(() => Webhook, {
    nullable: true,
    description: 'Webhook; null unless you are the app or manage it with a credential that covers its permissions.',
  })
  webhook(
    @Root() { databaseId }: AppRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<WebhookRow | null> {
    return context.load(webhooksByApps, selectionOf(info)).load(databaseId);
  }
}

/** No access scopes of their own: `App.webhook` has checked the caller. */
@Resolver(() => Webhook)
export class WebhookFields {
  @FieldResolver(() => WebhookDeliveryConnection, { description: 'Deliveries of the last 30 days, newest first.' })
  deliveries(
    @Root() { appId }: WebhookRow,
    @Args(() => DeliveriesArgs) args: DeliveriesArgs,
    @Ctx() context: Context,
  ): KeysetConnection<DeliveryRow> {
    return deliveriesOfReceiver(context, { appId }, 'Webhook.deliveries', args);
  }

  @FieldResolver(() => WebhookDelivery, {
    nullable: true,
    description: 'Delivery with this global id; null when the webhook has none.',
  })
  delivery(
    @Root() { appId }: WebhookRow,
    @Arg('id', () => ID, { description: 'Global id of the delivery.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryRow | null> {
    return deliveryOfReceiver(context, { appId }, id, info);
  }
}

@Resolver(() => WebhookDeliveryConnection)
export class WebhookDeliveryPages {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'For `after` of the next page, with older deliveries; null at the end.',
  })
  nextCursor(@Root() page: KeysetConnection<DeliveryRow>): Promise<string | null> {
    return page.nextCursor();
  }

  @Cost(1)
  @FieldResolver(() => String, {
    nullable: true,
    description: 'For `after` of the previous page of `first` newer deliveries; null at the start.',
  })
  previousCursor(@Root() page: KeysetConnection<DeliveryRow>): Promise<string | null> {
    return page.previousCursor();
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryFields {
  @FieldResolver(() => GraphQLSafeInt, { nullable: true, description: 'Number of the installation; null for none.' })
  installationDatabaseId(@Root() { installationId }: DeliveryRow): number | null {
    return installationId;
  }

  @FieldResolver(() => GraphQLSafeInt, { nullable: true, description: 'Number of the repository; null for none.' })
  repositoryDatabaseId(@Root() { repositoryId }: DeliveryRow): number | null {
    return repositoryId;
  }

  @FieldResolver(() => Repository, {
    nullable: true,
    description: 'Repository of the event; null for none, and for one that you cannot see.',
  })
  repository(
    @Root() { repositoryId }: DeliveryRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return repositoryId === null ? null : context.load(repositoriesByIds, selectionOf(info)).load(repositoryId);
  }

  @FieldResolver(() => Installation, {
    nullable: true,
    description: 'Installation that received the event; null for none, and for one that you cannot see.',
  })
  installation(
    @Root() { installationId }: DeliveryRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<InstallationRow | null> | null {
    return installationId === null ? null : context.load(installationsByIds, selectionOf(info)).load(installationId);
  }
}

@Resolver(() => DeliveryRequest)
export class DeliveryRequestFields {
  @FieldResolver()
  payload(@Root() { payload }: ExchangedRow): object | null {
    // To parse and to format a payload of 25 MB takes 100 ms and more each.
    return payload === null ? null : storedJson(payload);
  }
}

@Resolver(() => DeliveryResponse)
export class DeliveryResponseFields {
  @FieldResolver()
  payload(@Root() row: ExchangedRow): string | null {
    return row.payload;
  }
}
