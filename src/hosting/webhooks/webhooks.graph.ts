import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { WebhookContentType } from '../../../schema/hosting/app.ts';
import { TextualSwitch } from '../../../schema/hosting/textual-switch.ts';
import { Webhook, WebhookDelivery } from '../../../schema/hosting/webhook.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { selectionOf } from '../../db/selection.ts';
import { callingApp } from '../apps/create-installation-token.ts';
import { requireDelegableApp, requireOwnedApp } from '../apps/owned-app.ts';
import { configureWebhook, type WebhookSettings } from './configure-webhook.ts';
import type { DeliveryRow } from './deliveries.queries.ts';
import { redeliver, requireReceiverOf } from './redeliver.ts';
import { visibleDeliveriesByIds } from './visible-deliveries.ts';
import { webhookLimits } from './webhook-problems.ts';
import { requireWebhook, type WebhookRow } from './webhooks.queries.ts';

@InputType()
class WebhookSettingsFields {
  @Limits(webhookLimits.url)
  @optionalField(() => String, 'URL that payloads are sent to, http or https; null disables the webhook.')
  url?: string | null;
  @optionalField(() => WebhookContentType, 'New content type of payloads; unchanged when absent.')
  contentType?: WebhookContentType | null;
  @Limits(webhookLimits.secret)
  @optionalField(() => String, 'Secret that signs deliveries; null or empty removes it.')
  secret?: string | null;
  @optionalField(() => Boolean, 'Whether TLS certificates of the receiver are verified.')
  isTlsVerified?: boolean | null;
  @optionalField(() => Boolean, 'Whether failed deliveries are sent again, for up to three days.')
  isRetried?: boolean | null;
}

@InputType({ description: 'Input of `updateViewerAppWebhook`. Absent settings keep their value.' })
class UpdateViewerAppWebhookInput extends WebhookSettingsFields {
  @optionalField(() => TextualSwitch, 'The opposite of `isTlsVerified`, as payloads of webhooks have it.')
  insecureSsl?: boolean | null;
}

@InputType({ description: 'Input of `updateAppWebhook`. Absent settings keep their value.' })
class UpdateAppWebhookInput extends WebhookSettingsFields {
  @Field(() => ID, { description: 'App with the webhook.' }) appId!: string;
}

@InputType({ description: 'Input of `redeliverViewerAppDelivery`.' })
class RedeliverViewerAppDeliveryInput {
  @Field(() => ID, { description: 'Delivery to send again, at most three days old.' }) deliveryId!: string;
}

@InputType({ description: 'Input of `redeliverAppDelivery`.' })
class RedeliverAppDeliveryInput {
  @Field(() => ID, { description: 'Delivery to send again, at most three days old.' }) deliveryId!: string;
}

const webhook = (description: string) => ({ webhook: [() => Webhook, description] }) as const;
const delivery = {
  delivery: [() => WebhookDelivery, 'Delivery that is sent again, as a new one; null unless you may read it.'],
} as const;
const UpdateViewerAppWebhookPayload = payloadOf(
  'updateViewerAppWebhook',
  webhook('Webhook of the calling app, as it is now.'),
);
const UpdateAppWebhookPayload = payloadOf('updateAppWebhook', webhook('Webhook of the app, as it is now.'));
const RedeliverViewerAppDeliveryPayload = payloadOf('redeliverViewerAppDelivery', delivery);
const RedeliverAppDeliveryPayload = payloadOf('redeliverAppDelivery', delivery);

interface WebhookPayload {
  webhook: WebhookRow;
}

interface DeliveryPayload {
  delivery: DeliveryRow | null;
}

@Resolver()
export class WebhookRoots {
  @Access('app')
  @Mutation(() => UpdateViewerAppWebhookPayload, {
    nullable: true,
    description: 'Updates the webhook of the calling app.',
  })
  async updateViewerAppWebhook(
    @InputArg(() => UpdateViewerAppWebhookInput) { insecureSsl, ...input }: UpdateViewerAppWebhookInput,
    @Ctx() context: Context,
  ): Promise<WebhookPayload> {
    const settings = settingsOf(input);
    return changeWebhook(
      context,
      callingApp(context.actor),
      insecureSsl == null ? settings : { ...settings, insecureSsl },
    );
  }

  @Access('tokens:write')
  @Mutation(() => UpdateAppWebhookPayload, {
    nullable: true,
    description: 'Updates the webhook of an app that you manage.',
  })
  async updateAppWebhook(
    @InputArg(() => UpdateAppWebhookInput) { appId, ...input }: UpdateAppWebhookInput,
    @Ctx() context: Context,
  ): Promise<WebhookPayload> {
    const { id } = await requireDelegableApp(context, numberOfId('App', appId, 'appId'));
    return changeWebhook(context, id, settingsOf(input));
  }

  @Access('app')
  @Mutation(() => RedeliverViewerAppDeliveryPayload, {
    nullable: true,
    description: 'Sends a delivery of the calling app again.',
  })
  async redeliverViewerAppDelivery(
    @InputArg(() => RedeliverViewerAppDeliveryInput) { deliveryId }: RedeliverViewerAppDeliveryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryPayload> {
    const id = deliveryNumber(deliveryId);
    await redeliver(context, { appId: callingApp(context.actor) }, id);
    return deliveryPayload(context, id, info);
  }

  @Access('tokens:write')
  @Mutation(() => RedeliverAppDeliveryPayload, {
    nullable: true,
    description: 'Sends a delivery of an app that you manage again.',
  })
  async redeliverAppDelivery(
    @InputArg(() => RedeliverAppDeliveryInput) { deliveryId }: RedeliverAppDeliveryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeliveryPayload> {
    const id = deliveryNumber(deliveryId);
    const appId = await requireReceiverOf(context, 'app', id);
    await redeliver(context, { appId: await requireOwnedApp(context, appId) }, id);
    return deliveryPayload(context, id, info);
  }
}

const deliveryNumber = (id: string): number => numberOfId('WebhookDelivery', id, 'deliveryId');

function settingsOf({ isTlsVerified, isRetried, ...settings }: WebhookSettingsFields): WebhookSettings {
  return { ...settings, insecureSsl: isTlsVerified == null ? null : !isTlsVerified, retries: isRetried };
}

async function changeWebhook(context: Context, appId: number, settings: WebhookSettings): Promise<WebhookPayload> {
  await configureWebhook(context, appId, settings);
  return { webhook: await requireWebhook(context, appId) };
}

async function deliveryPayload(context: Context, id: number, info: GraphQLResolveInfo): Promise<DeliveryPayload> {
  const wanted = selectionOf(info).get('delivery');
  return { delivery: wanted ? await context.load(visibleDeliveriesByIds, wanted).load(id) : null };
}
