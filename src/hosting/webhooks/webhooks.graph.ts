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
import type { Context } from '../../context/context.ts';
import { pageBounds } from '../../db/page.ts';
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

const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@ArgsType()
class WebhookSettingsArgs implements WebhookSettings {
  @optionalField(() => String, 'Where payloads are sent, http or https; null for nowhere.') url?: string | null;
  @optionalField(() => WebhookContentType, 'How payloads are written.') contentType?: 'json' | 'form' | null;
  @optionalField(
    () => String,
    'What deliveries are signed with; null or empty for nothing. The mask leaves it as it is.',
  )
  secret?: string | null;
  @optionalField(() => TextualSwitch, 'Whether any certificate of the receiver will do.') insecureSsl?: boolean | null;
}

@ArgsType()
class OwnedWebhookArgs extends WebhookSettingsArgs {
  @Field(() => GraphQLSafeInt, { description: 'Number of the app.' }) appId!: number;
  @optionalField(() => Boolean, 'Whether failed deliveries are repeated, for up to three days.') retries?:
    | boolean
    | null;
}

@ArgsType()
class DeliveriesArgs {
  @Field(() => Int, { defaultValue: 30, description: 'Deliveries on a page, 1 to 100.' }) first!: number;
  @optionalField(() => String, 'Where the page begins: a cursor of another page.') cursor?: string | null;
  @optionalField(() => DeliveryOutcome, 'Only those that the receiver took, or did not take.')
  outcome?: DeliveryOutcome | null;
}

const deliveryId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the delivery.' });

@Resolver()
export class WebhookRoots {
  @Access('app')
  @Query(() => AppWebhook, { nullable: true, description: 'The webhook of the calling app.' })
  webhook(@Ctx() context: Context): Promise<WebhookRow | null> {
    return webhookOf(context, callingApp(context.actor));
  }

  @Access('app')
  @Mutation(() => AppWebhook, {
    nullable: true,
    description: 'Sets the webhook of the calling app. What is left out stays.',
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
    description: 'Has a delivery of the calling app made once more, within three days. The answer is an empty object.',
  })
  async redeliver(@deliveryId() id: number, @Ctx() context: Context): Promise<object> {
    await redeliver(context, callingApp(context.actor), id);
    return {};
  }

  @Access('tokens:write')
  @Query(() => AppWebhook, { nullable: true, description: 'The webhook of an app that the caller looks after.' })
  async appWebhook(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Number of the app.' }) appId: number,
    @Ctx() context: Context,
  ): Promise<WebhookRow | null> {
    // Deliveries show what the app was told, of private repositories as well.
    return webhookOf(context, (await requireDelegableApp(context, appId)).id);
  }

  @Access('tokens:write')
  @Mutation(() => AppWebhook, {
    nullable: true,
    description: 'Sets the webhook of an app that the caller looks after. What is left out stays.',
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
    description: 'Has a delivery of an app that the caller looks after made once more, within three days.',
  })
  async redeliverAppDelivery(
    @Arg('appId', () => GraphQLSafeInt, { description: 'Number of the app.' }) appId: number,
    @deliveryId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await redeliver(context, await requireOwnedApp(context, appId), id);
    return true;
  }
}

/** No rule of their own: whoever has the webhook has been let in by the root field. */
@Resolver(() => AppWebhook)
export class AppWebhookFields {
  @FieldResolver(() => WebhookDeliveryList, { description: 'What was sent in the last 30 days, the newest first.' })
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

  @FieldResolver(() => WebhookDelivery, { nullable: true, description: 'One of its deliveries.' })
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
    // Once, however many aliases ask for it: what is parsed takes several times the memory of the text.
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
