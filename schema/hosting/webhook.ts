import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
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
import { Cost } from '../vocabulary/cost.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { App, WebhookContentType } from './app.ts';

export const DeliveryOutcome = { SUCCESS: 'success', FAILURE: 'failure' } as const;
export type DeliveryOutcome = (typeof DeliveryOutcome)[keyof typeof DeliveryOutcome];
registerEnumType(DeliveryOutcome, {
  name: 'DeliveryOutcome',
  description: 'Whether the receiver took it: a status below 400, or above.',
});

function readSwitch(value: unknown): boolean {
  if (value === '1' || value === 1 || value === true) return true;
  if (value === '0' || value === 0 || value === false) return false;
  throw new GraphQLError('it must be "0" or "1".');
}

/** A switch that is published as a text and taken as a text, a number or a boolean. */
export const TextualSwitch = new GraphQLScalarType<boolean, string>({
  name: 'TextualSwitch',
  description: '`"1"` for yes, `"0"` for no. The numbers 1 and 0 and booleans are taken too.',
  serialize: value => (value === true ? '1' : '0'),
  parseValue: readSwitch,
  parseLiteral: node =>
    readSwitch(node.kind === Kind.INT ? Number(node.value) : 'value' in node ? node.value : undefined),
  extensions: {
    jsonSchema: {
      anyOf: [{ type: 'string', enum: ['0', '1'] }, { type: 'integer', enum: [0, 1] }, { type: 'boolean' }],
    },
  },
});

@ObjectType({ description: 'What was sent.', simpleResolvers: true })
export class DeliveryRequest {
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Headers by name; null where nothing could be sent.' })
  headers!: Record<string, string> | null;

  @Cost(1)
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The payload as JSON, however it was written; null where it was too large to be sent.',
  })
  payload!: object | null;
}

@ObjectType({ description: 'What came back.', simpleResolvers: true })
export class DeliveryResponse {
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Headers by name; null where nothing came back.' })
  headers!: Record<string, string> | null;

  @Field(() => String, { nullable: true, description: 'The first 64 KB of the body; null where nothing came back.' })
  payload!: string | null;
}

@Noun('webhook_delivery', 'One attempt to tell an app of something.')
@Index<WebhookDelivery>('webhook_delivery_by_age', ['createdAt'])
@Index<WebhookDelivery>('webhook_delivery_done', ['appId', 'id'], { where: c => `${c.deliveredAt} is not null` })
@Index<WebhookDelivery>('webhook_delivery_failed', ['appId', 'id'], {
  where: c => `(${c.deliveredAt} is not null) and (${c.statusCode} >= 400)`,
})
export class WebhookDelivery {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the delivery.')
  databaseId!: number;

  @Owner(() => App, { onDelete: 'cascade' })
  appId!: number;

  @Uuid({ about: 'Identifier of what happened: the same for every app that is told and every attempt.' })
  guid!: string;

  @Text({ about: 'Name of the event, such as `push`.' })
  event!: string;

  @Text({ about: 'What was done, of events that have several actions.', null: true })
  action!: string | null;

  @Whole({ about: 'Number of the installation that it is told through.', null: true })
  installationId!: number | null;

  @Whole({ about: 'Number of the repository that it is about.', null: true })
  repositoryId!: number | null;

  /** What the payload is made of, while there is none. */
  @Json(() => Object, { hidden: true, null: true })
  cause!: unknown;

  @Text({ hidden: true, null: true })
  payload!: string | null;

  @Bool({ about: 'Whether it repeats an earlier delivery.', default: false })
  redelivery!: boolean;

  @Integer({ hidden: true, default: 1 })
  attempt!: number;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({
    about: 'When it was held back because the receiver was given enough already; null if it never was.',
    null: true,
  })
  throttledAt!: string | null;

  @Moment({ about: 'When it was sent.', null: true })
  deliveredAt!: string | null;

  @Real({ about: 'Seconds until the answer was there, to two decimals.', null: true })
  duration!: number | null;

  @Text({ about: 'What came of it, in words: `OK`, `timed out`.', null: true })
  status!: string | null;

  @Integer({
    about: 'Status of the answer; 502 where nobody could be reached, 504 where no answer came in time.',
    null: true,
  })
  statusCode!: number | null;

  @Text({ about: 'Where it was sent.', null: true })
  url!: string | null;

  @Json(() => Object, { hidden: true, null: true })
  requestHeaders!: Record<string, string> | null;

  @Json(() => Object, { hidden: true, null: true })
  responseHeaders!: Record<string, string> | null;

  @Text({ hidden: true, null: true })
  responsePayload!: string | null;

  @Computed(() => DeliveryRequest, 'What was sent.')
  request!: DeliveryRequest;

  @Computed(() => DeliveryResponse, 'What came back.')
  response!: DeliveryResponse;
}

@ObjectType({ description: 'Some deliveries, the newest first.', simpleResolvers: true })
export class WebhookDeliveryList {
  @Field(() => [WebhookDelivery], { description: 'The deliveries.' })
  nodes!: WebhookDelivery[];

  @Field(() => String, { nullable: true, description: 'Cursor of the older ones that follow; null at the end.' })
  nextCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the newer ones before; null at the start.' })
  previousCursor!: string | null;
}

@ObjectType({ description: 'Where and how an app is told of events.', simpleResolvers: true })
export class AppWebhook {
  @Field(() => GraphQLSafeInt, { description: 'Number of the app.' })
  appId!: number;

  @Field(() => String, { nullable: true, description: 'Where payloads are sent; null for nowhere.' })
  url!: string | null;

  @Field(() => WebhookContentType, { description: 'How payloads are written.' })
  contentType!: string;

  @Field(() => String, {
    nullable: true,
    description: '`********` where there is a secret. The secret itself is never told.',
  })
  secret!: string | null;

  @Field(() => TextualSwitch, { description: 'Whether any certificate of the receiver will do.' })
  insecureSsl!: boolean;

  @Field(() => Boolean, { description: 'Whether failed deliveries are repeated.' })
  retries!: boolean;

  @Field(() => Instant, {
    nullable: true,
    description:
      'Since when nothing is sent, because the receiver said that it is gone. Setting the webhook again ends that.',
  })
  disabledAt!: string | null;
}
