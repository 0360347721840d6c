import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  Info,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { WebhookContentType } from '../../../schema/hosting/app.ts';
import {
  AppWebhook,
  DeliveryOutcome,
  DeliveryRequest,
  DeliveryResponse,
  TextualSwitch,
  WebhookDelivery,
  WebhookDeliveryList,
} from '../../../schema/hosting/webhook.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { pageBounds } from '../../db/connection.ts';
import { type Selection, selectionOf } from '../../db/selection.ts';
import { callingApp } from '../apps/create-installation-token.ts';
import { requireDelegableApp, requireOwnedApp } from '../apps/owned-app.ts';
import { configureWebhook, type WebhookSettings } from './configure-webhook.ts';
import { redeliver } from './redeliver.ts';
import {
  type DeliveryPage,
  type DeliveryRow,
  deliveriesOf,
  deliveryOf,
  type ExchangedRow,
  type WebhookRow,
  webhookOf,
} from './webhooks.queries.ts';

@ArgsType()
class WebhookSettingsArgs implements WebhookSettings {
  @optionalField(() => String, 'URL that receives payloads, http or https; null disables the webhook.') url?:
    | string
    | null;
  @optionalField(() => WebhookContentType, 'Content type of payloads.') contentType?: 'json' | 'form' | null;
  @optionalField(() => String, 'Secret that signs deliveries; null or empty removes it. The mask keeps it.')
  secret?: string | null;
  @optionalField(() => TextualSwitch, 'Whether certificates of the receiver are not verified.') insecureSsl?:
    | boolean
    | null;
}

@ArgsType()
class OwnedWebhookArgs extends WebhookSettingsArgs {
  @Field(() => GraphQLSafeInt, { description: 'Database id of the app.' }) appId!: number;
  @optionalField(() => Boolean, 'Whether failed deliveries are retried, for up to three days.') retries?:
    | boolean
    | null;
}

@ArgsType()
class DeliveriesArgs {
  @Field(() => Int, { defaultValue: 30, description: 'Deliveries per page, 1 to 100.' }) first!: number;
  @optionalField(() => String, 'Cursor of the page; the newest deliveries when null.') cursor?: string | null;
  @optionalField(() => DeliveryOutcome, 'Outcome of the deliveries to list; all when null.')
  outcome?: DeliveryOutcome | null;
}

const deliveryId = () => Arg('id', () => GraphQLSafeInt, { description: 'Database id of the delivery.' });

@Resolver()
export class WebhookRoots {
  @Access('app')
  @Query(() => AppWebhook, {
    nullable: true,
    description: 'Webhook of the calling app; null when the app no longer exists.',
  })
  webhook(@Ctx() context: Context): Promise<WebhookRow | null> {
    return webhookOf(context, callingApp(context.actor));
  }

  @Access('app')
  @Mutation(() => AppWebhook, {
    nullable: true,
    description: 'Updates the webhook of the calling app. Omitted settings keep their value.',
  })
  async configureWebhook(
    @Args(() => WebhookSettingsArgs) settings: WebhookSettingsArgs,
    @Ctx() context: Context,
  ): Promise<WebhookRow | null> {
    const appId = callingApp(context.actor);
    await configureWebhook(context, appId, settings);
    return webhookOf(context, appId);
  }

  @Access('app')
  @Mutation(() => GraphQLJSONObject, {
    description:
      'Redelivers a delivery of the calling app that is at most three days old. The result is an empty object.',
  })
  async redeliver(@deliveryId() id: number, @Ctx() context: Context): Promise<object> {
    await redeliver(context, callingApp(context.actor), id);
    return {};
  }

  @Access('tokens:write')
  @Query(() => AppWebhook, { nullable: true, description: 'Webhook of an app that the caller manages.' })
  async appWebhook(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Database id of the app.' }) appId: number,
    @Ctx() context: Context,
  ): Promise<WebhookRow | null> {
    // Deliveries contain what the app received, including data of private repositories.
    return webhookOf(context, (await requireDelegableApp(context, appId)).id);
  }

  @Access('tokens:write')
  @Mutation(() => AppWebhook, {
    nullable: true,
    description: 'Updates the webhook of an app that the caller manages. Omitted settings keep their value.',
  })
  async configureAppWebhook(
    @Args(() => OwnedWebhookArgs) { appId, ...settings }: OwnedWebhookArgs,
    @Ctx() context: Context,
  ): Promise<WebhookRow | null> {
    const { id } = await requireDelegableApp(context, appId);
    await configureWebhook(context, id, settings);
    return webhookOf(context, id);
  }

  @Access('tokens:write')
  @Mutation(() => Boolean, {
    description: 'Redelivers a delivery, at most three days old, of an app that the caller manages.',
  })
  async redeliverAppDelivery(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Database id of the app.' }) appId: number,
    @deliveryId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await redeliver(context, await requireOwnedApp(context, appId), id);
    return true;
  }
}

/** No access scope of their own: the root field that returns the webhook has checked access. */
@Resolver(() => AppWebhook)
export class AppWebhookFields {
  @FieldResolver(() => WebhookDeliveryList, { description: 'Deliveries of the last 30 days, newest first.' })
  deliveries(
    @Root() { appId }: WebhookRow,
    @Args(() => DeliveriesArgs) { first, cursor, outcome }: DeliveriesArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryPage> {
    const { limit } = pageBounds({ first, page: 1 });
    const wanted = selectionOf(info).get('nodes') ?? noSelection;
    return deliveriesOf(context, appId, { first: limit, cursor, outcome }, wanted);
  }

  @FieldResolver(() => WebhookDelivery, {
    nullable: true,
    description: 'Delivery with this id; null when the app has none.',
  })
  delivery(
    @Root() { appId }: WebhookRow,
    @deliveryId() id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryRow | null> {
    return deliveryOf(context, appId, id, selectionOf(info));
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

const noSelection: Selection = new Map();
