import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, Int, Resolver, Root } from 'type-graphql';
import { App } from '../../../schema/hosting/app.ts';
import { Installation } from '../../../schema/hosting/installation.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  DeliveryOutcome,
  DeliveryRequest,
  DeliveryResponse,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryConnection,
  WebhookDeliveryList,
} from '../../../schema/hosting/webhook.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { pageBounds } from '../../db/connection.ts';
import { KeysetConnection, keysetSliceOf } from '../../db/keyset-connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import type { AppRow, InstallationRow } from '../apps/apps.queries.ts';
import { installationsByIds } from '../apps/managed-apps.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import {
  type DeliveryPage,
  type DeliveryRow,
  deliveriesByIds,
  deliveriesOf,
  deliveriesOfApps,
  type ExchangedRow,
  type WebhookRow,
  webhooksByApps,
} from './webhooks.queries.ts';

@ArgsType()
class DeliveriesArgs extends ConnectionArgs {
  @optionalField(() => DeliveryOutcome, 'Outcome of the deliveries; both by default.') outcome?: DeliveryOutcome | null;
  @optionalField(() => DateTime, 'Only deliveries sent at this time or later.') since?: Date | null;
}

@ArgsType()
class DeliveryListArgs {
  @Field(() => Int, { defaultValue: 30, description: 'Deliveries per page, 1 to 100.' }) first!: number;
  @optionalField(() => String, 'Cursor of the page; the newest deliveries when null.') cursor?: string | null;
  @optionalField(() => DeliveryOutcome, 'Outcome of the deliveries to list; all when null.')
  outcome?: DeliveryOutcome | null;
}

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
    @Args(() => DeliveriesArgs) { outcome, since, ...args }: DeliveriesArgs,
    @Ctx() context: Context,
  ): KeysetConnection<DeliveryRow> {
    const slice = keysetSliceOf(args, WebhookDeliveryConnection);
    const filter = { outcome, since };
    const source = deliveriesOfApps(context, filter, slice);
    const list = batchedList(context, 'Webhook.deliveries', { ...filter, ...slice }, appId, source);
    return new KeysetConnection(WebhookDeliveryConnection, list, slice, ({ databaseId }) => databaseId);
  }

  @RestOnly()
  @FieldResolver(() => WebhookDeliveryList, { description: 'Deliveries of the last 30 days, newest first.' })
  deliveryList(
    @Root() { appId }: WebhookRow,
    @Args(() => DeliveryListArgs) { first, cursor, outcome }: DeliveryListArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryPage> {
    const { limit } = pageBounds({ first, page: 1 });
    const wanted = selectionOf(info).get('nodes') ?? noSelection;
    return deliveriesOf(context, appId, { first: limit, cursor, outcome }, wanted);
  }

  @FieldResolver(() => WebhookDelivery, {
    nullable: true,
    description: 'Delivery with this global id; null when the webhook has none.',
  })
  async delivery(
    @Root() { appId }: WebhookRow,
    @Arg('id', () => ID, { description: 'Global id of the delivery.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryRow | null> {
    const number = numberOfId('WebhookDelivery', id, 'id');
    const found = await context.load(deliveriesByIds, selectionOf(info)).load(number);
    return found?.appId === appId ? found : null;
  }
}

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryFields {
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
  payload(@Root() row: ExchangedRow): object | null {
    const { payload: text } = row;
    // Parsed once for all aliases: the parsed object takes several times the memory of the text.
    row.parsed ??= text === null ? null : JSON.parse(text);
    return row.parsed ?? null;
  }
}

@Resolver(() => DeliveryResponse)
export class DeliveryResponseFields {
  @FieldResolver()
  payload(@Root() row: ExchangedRow): string | null {
    return row.payload;
  }
}
