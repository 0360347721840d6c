import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import {
  Bool,
  Computed,
  Integer,
  Json,
  Key,
  Moment,
  Noun,
  Owner,
  Real,
  Text,
  Uuid,
  Whole,
} from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Cost } from '../vocabulary/cost.ts';
import { Retained } from '../vocabulary/retention.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { App, WebhookContentType } from './app.ts';
import { Hook } from './hook.ts';
import { TextualSwitch } from './textual-switch.ts';

export const DeliveryOutcome = { SUCCESS: 'success', FAILURE: 'failure' } as const;
export type DeliveryOutcome = (typeof DeliveryOutcome)[keyof typeof DeliveryOutcome];
registerEnumType(DeliveryOutcome, {
  name: 'DeliveryOutcome',
  description: 'Outcome of a delivery: success for a status below 400, failure otherwise.',
});

@ObjectType({ description: 'Request of the delivery.', simpleResolvers: true })
export class DeliveryRequest {
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Headers by name; null where no request was sent.' })
  headers!: Record<string, string> | null;

  @Cost(1)
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Payload as JSON, independent of the content type; null where it was too large to be sent.',
  })
  payload!: object | null;
}

@ObjectType({ description: 'Response of the receiver.', simpleResolvers: true })
export class DeliveryResponse {
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Headers by name; null without a response.' })
  headers!: Record<string, string> | null;

  @Field(() => String, { nullable: true, description: 'First 64 KB of the body; null without a response.' })
  payload!: string | null;
}

@Noun('webhook_delivery', 'Delivery attempt of a webhook.')
@Check<WebhookDelivery>('webhook_delivery_receiver_check', c => `num_nonnulls(${c.appId}, ${c.hookId}) = 1`)
@Index<WebhookDelivery>('webhook_delivery_by_app', ['appId'], { where: c => `${c.appId} is not null` })
@Index<WebhookDelivery>('webhook_delivery_by_age', ['createdAt'])
@Index<WebhookDelivery>('webhook_delivery_of_hook', ['hookId', 'id'], { where: c => `${c.hookId} is not null` })
@Index<WebhookDelivery>('webhook_delivery_done', ['appId', 'id'], { where: c => `${c.deliveredAt} is not null` })
@Index<WebhookDelivery>('webhook_delivery_failed', ['appId', 'id'], {
  where: c => `(${c.deliveredAt} is not null) and (${c.statusCode} >= 400)`,
})
@Retained<WebhookDelivery>({ rows: '30 days', job: 'webhook-housekeeping' })
export class WebhookDelivery {
  @Key()
  id!: number;

  /** Null for a delivery of a hook. */
  @Owner(() => App, { onDelete: 'cascade', null: true })
  appId!: number | null;

  /** Null for a delivery of an app. */
  @Owner(() => Hook, { onDelete: 'cascade', null: true })
  hookId!: number | null;

  @Uuid({ about: 'Identifier of the event, the same for every receiver and every attempt.' })
  guid!: string;

  @Text({ about: 'Name of the event, such as `push`.' })
  event!: string;

  @Text({ about: 'Action of the event; null for events without actions.', null: true })
  action!: string | null;

  @Whole({ hidden: true, null: true })
  installationId!: number | null;

  @Whole({ hidden: true, null: true })
  repositoryId!: number | null;

  /** Source of the payload until the payload is built. */
  @Json(() => Object, { hidden: true, null: true })
  cause!: unknown;

  @Text({ hidden: true, null: true })
  payload!: string | null;

  @Bool({ hidden: true, default: false })
  redelivery!: boolean;

  @Computed(() => Boolean, 'Whether an earlier delivery was sent again.')
  isRedelivery!: boolean;

  @Integer({ hidden: true, default: 1 })
  attempt!: number;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({
    about: 'Time at which it was throttled for the receiver; null for never.',
    null: true,
  })
  throttledAt!: string | null;

  @Moment({ about: 'Time of sending; null before it.', null: true })
  deliveredAt!: string | null;

  @Real({ about: 'Duration until the response in seconds, two decimals; null before it.', null: true })
  duration!: number | null;

  @Text({ about: 'Status as text: `OK`, `timed out`; null before it was sent.', null: true })
  status!: string | null;

  @Integer({
    about: 'Status code of the response; null before it was sent. 502 is a failed connection, 504 a timeout.',
    null: true,
  })
  statusCode!: number | null;

  @Text({ about: 'URL of the receiver; null before it was sent.', null: true })
  url!: string | null;

  @Json(() => Object, { hidden: true, null: true })
  requestHeaders!: Record<string, string> | null;

  @Json(() => Object, { hidden: true, null: true })
  responseHeaders!: Record<string, string> | null;

  @Text({ hidden: true, null: true })
  responsePayload!: string | null;

  @Computed(() => DeliveryRequest, 'Request of the delivery.')
  request!: DeliveryRequest;

  @Computed(() => DeliveryResponse, 'Response of the receiver.')
  response!: DeliveryResponse;
}

export const WebhookDeliveryConnection = connectionOf('WebhookDelivery', () => WebhookDelivery, 'deliveries');

@ObjectType({ description: 'Webhook of an app: where its payloads are sent, and how.', simpleResolvers: true })
export class Webhook {
  @Field(() => Uri, { nullable: true, description: 'URL that payloads are sent to; null for none.' })
  url!: string | null;

  @Field(() => WebhookContentType, { description: 'Content type of payloads.' })
  contentType!: WebhookContentType;

  @Field(() => Boolean, { description: 'Whether deliveries are signed with a secret, which is never shown.' })
  hasSecret!: boolean;

  @Field(() => String, { nullable: true, description: '`********` where a secret is set; null for none.' })
  secretMask!: string | null;

  @Field(() => Boolean, { description: 'Whether TLS certificates of the receiver are verified.' })
  isTlsVerified!: boolean;

  @Field(() => TextualSwitch, { description: 'The opposite of `isTlsVerified`, as payloads of webhooks have it.' })
  insecureSsl!: boolean;

  @Field(() => Boolean, { description: 'Whether failed deliveries are sent again, for up to three days.' })
  isRetried!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Time at which deliveries stopped because the receiver answered 410; null for active webhooks. An update of the webhook resumes them.',
  })
  disabledAt!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Time until which deliveries wait; null where the receiver answers. They wait after it did not answer several in time. A redelivery or an update of the webhook ends the wait.',
  })
  pausedUntil!: string | null;
}
