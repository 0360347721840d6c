import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, Int, registerEnumType } from 'type-graphql';
import {
  Bool,
  Bytes,
  Choice,
  Computed,
  Json,
  Key,
  Moment,
  Noun,
  Owner,
  Text,
  TextList,
  Whole,
} from '../vocabulary/columns.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { type PermissionMap, Permissions } from './permission-map.ts';

export const WebhookContentType = { JSON: 'json', FORM: 'form' } as const;
export type WebhookContentType = (typeof WebhookContentType)[keyof typeof WebhookContentType];
registerEnumType(WebhookContentType, { name: 'WebhookContentType', description: 'How a delivery is written.' });

@Noun('app', 'A program that acts for itself once an account has installed it.')
@Unique<App>('app_slug_key', ['slug'])
@Unique<App>('app_client_id_key', ['clientId'])
@Index<App>('app_by_owner', ['ownerId', 'id'])
export class App {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the app.')
  databaseId!: number;

  @Computed(() => ID, 'Identifier of the app among all things there are.')
  nodeId!: string;

  @Owner(() => Account, { onDelete: 'cascade' })
  ownerId!: number;

  @Text({ about: 'Its name in addresses.' })
  slug!: string;

  @Text({ about: 'Its name for people.' })
  name!: string;

  @Text({ about: 'Its name when it asks users for authorization, and in the `iss` of its tokens.' })
  clientId!: string;

  /** SHA-256: the secret is random, so that nothing slower is needed. */
  @Bytes({ hidden: true })
  clientSecretHash!: Buffer;

  /** Number of the credential that made the secret; the secret ends with it. */
  @Whole({ hidden: true, null: true })
  secretById!: number | null;

  @Text({ about: 'What it does.', null: true })
  description!: string | null;

  @Text({ about: 'Its own page.' })
  externalUrl!: string;

  @Json(() => Permissions, { about: 'What it asks for. Each installation says what it was given.', default: '{}' })
  permissions!: PermissionMap;

  @TextList({ about: 'What it wants to be told.' })
  events!: string[];

  @Text({ hidden: true, null: true })
  webhookUrl!: string | null;

  @Choice(() => WebhookContentType, { hidden: true, default: 'form' })
  webhookContentType!: WebhookContentType;

  /** Sealed, not hashed: deliveries are signed with it. */
  @Text({ hidden: true, null: true })
  webhookSecretSealed!: string | null;

  @Bool({ hidden: true, default: false })
  webhookInsecureSsl!: boolean;

  @Bool({ hidden: true, default: false })
  webhookRetries!: boolean;

  /** Set when the receiver said that it is gone. */
  @Moment({ hidden: true, null: true })
  webhookDisabledAt!: string | null;

  @Moment({ about: 'When it was made.' })
  createdAt!: string;

  @Moment({ about: 'When it last changed.' })
  updatedAt!: string;

  @Computed(() => Int, 'How many accounts have installed it.')
  installationsCount!: number;
}

@Noun('app_key', 'A public key that the tokens of an app are verified with.')
@Unique<AppKey>('app_key_fingerprint_key', ['fingerprint'])
@Index<AppKey>('app_key_by_app', ['appId', 'id'])
export class AppKey {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the key.')
  databaseId!: number;

  @Owner(() => App, { onDelete: 'cascade' })
  appId!: number;

  @Text({ about: 'The key, PEM (SPKI).' })
  publicKey!: string;

  @Text({ about: 'SHA-256 of the key, base64.' })
  fingerprint!: string;

  /** Number of the credential that added it; the key ends with it. */
  @Whole({ hidden: true, null: true })
  addedById!: number | null;

  @Moment({ about: 'When it was added.' })
  createdAt!: string;
}

/** An app that acts for users who have authorized it, by the scopes they gave. */
@Entity({ tableName: 'oauth_app' })
@Unique<OauthApp>('oauth_app_client_id_key', ['clientId'])
@Index<OauthApp>('oauth_app_by_owner', ['ownerId', 'id'])
export class OauthApp {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  ownerId!: number;

  @Text({ hidden: true })
  name!: string;

  @Text({ hidden: true })
  clientId!: string;

  @Bytes({ hidden: true })
  clientSecretHash!: Buffer;

  /** Number of the credential that made the secret; the secret ends with it. */
  @Whole({ hidden: true, null: true })
  secretById!: number | null;

  @Text({ hidden: true })
  url!: string;

  @Text({ hidden: true })
  callbackUrl!: string;

  @Moment({ hidden: true })
  createdAt!: string;
}
