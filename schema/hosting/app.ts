import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, registerEnumType } from 'type-graphql';
import {
  Bool,
  Bytes,
  Choice,
  Computed,
  Integer,
  Json,
  Key,
  Moment,
  Noun,
  Owner,
  Text,
  TextList,
  Whole,
} from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Uri } from '../vocabulary/scalars.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { PermissionGrant, type PermissionMap } from './permission-map.ts';

export const WebhookContentType = { JSON: 'json', FORM: 'form' } as const;
export type WebhookContentType = (typeof WebhookContentType)[keyof typeof WebhookContentType];
registerEnumType(WebhookContentType, { name: 'WebhookContentType', description: 'Content type of payloads.' });

@Noun('app', 'App, which acts on its own behalf once an account has installed it.')
@Unique<App>('app_slug_key', ['slug'])
@Unique<App>('app_client_id_key', ['clientId'])
@Unique<App>('app_bot_id_key', ['botId'])
@Index<App>('app_by_slug', ['ownerId', 'slug'])
@Index<App>('app_by_owner', ['ownerId', 'id'])
@Retained<App>({ rows: 'until the app is deleted' })
export class App {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  ownerId!: number;

  /** Account as which the app acts. A trigger creates it. */
  @Owner(() => Account, { onDelete: 'cascade' })
  botId!: number;

  @Text({ about: 'Slug, used in URLs.' })
  slug!: string;

  @Text({ about: 'Display name of the app.' })
  name!: string;

  @Text({ about: 'Client id for the authorization of users and for the `iss` claim of its tokens.' })
  clientId!: string;

  /** SHA-256. A random secret needs no slow hash. */
  @Bytes({ hidden: true })
  clientSecretHash!: Buffer;

  /** Id of the credential that created the secret, which ends with that credential. */
  @Whole({ hidden: true, null: true })
  secretById!: number | null;

  @Text({ about: 'Description; null for none.', null: true })
  description!: string | null;

  @Text({ hidden: true })
  externalUrl!: string;

  @Computed(() => Uri, 'URL of the website.')
  url!: string;

  /** URL that users return to after authorization; null where they cannot authorize it by a browser. */
  @Text({ hidden: true, null: true })
  callbackUrl!: string | null;

  @Json(() => [PermissionGrant], {
    about: 'Requested permissions; each installation has the granted ones.',
    default: '{}',
  })
  permissions!: PermissionMap;

  @TextList({ about: 'Names of the events that it subscribes to.' })
  events!: string[];

  @Text({ hidden: true, null: true })
  webhookUrl!: string | null;

  @Choice(() => WebhookContentType, { hidden: true, default: 'form' })
  webhookContentType!: WebhookContentType;

  /** Encrypted and not hashed, because it signs deliveries. */
  @Text({ hidden: true, null: true })
  webhookSecretSealed!: string | null;

  @Bool({ hidden: true, default: false })
  webhookInsecureSsl!: boolean;

  @Bool({ hidden: true, default: false })
  webhookRetries!: boolean;

  /** Set when the receiver answers 410 Gone. */
  @Moment({ hidden: true, null: true })
  webhookDisabledAt!: string | null;

  /** Deliveries in a row that had no answer in time. */
  @Integer({ hidden: true, default: 0 })
  webhookTimeouts!: number;

  /** Time until which deliveries wait for a receiver that did not answer several in time. */
  @Moment({ hidden: true, null: true })
  webhookPausedUntil!: string | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change.' })
  updatedAt!: string;

  @Computed(() => Int, 'Number of installations.')
  installationCount!: number;
}

export const AppConnection = connectionOf('App', () => App, 'apps');

@Noun('app_key', 'Public key that verifies the tokens of an app.')
@Unique<AppKey>('app_key_fingerprint_key', ['fingerprint'])
@Index<AppKey>('app_key_by_app', ['appId', 'id'])
@Retained<AppKey>({ rows: 'as long as the app' })
export class AppKey {
  @Key()
  id!: number;

  @Owner(() => App, { onDelete: 'cascade' })
  appId!: number;

  @Text({ about: 'Public key in PEM (SPKI).' })
  publicKey!: string;

  @Text({ about: 'SHA-256 of the key in Base64.' })
  fingerprint!: string;

  /** Id of the credential that added the key, which ends with that credential. */
  @Whole({ hidden: true, null: true })
  addedById!: number | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;
}

/** OAuth app, which acts for users within the scopes that they granted. */
@Entity({ tableName: 'oauth_app' })
@Unique<OauthApp>('oauth_app_client_id_key', ['clientId'])
@Index<OauthApp>('oauth_app_by_owner', ['ownerId', 'id'])
@Retained<OauthApp>({ rows: 'as long as the app' })
export class OauthApp {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  ownerId!: number;

  @Text({ hidden: true })
  name!: string;

  @Text({ hidden: true })
  clientId!: string;

  /** SHA-256; null of a public client, which cannot keep a secret. */
  @Bytes({ hidden: true, null: true })
  clientSecretHash!: Buffer | null;

  /** Id of the credential that created the secret, which ends with that credential. */
  @Whole({ hidden: true, null: true })
  secretById!: number | null;

  @Text({ hidden: true })
  url!: string;

  @Text({ hidden: true })
  callbackUrl!: string;

  @Moment({ hidden: true })
  createdAt!: string;
}
