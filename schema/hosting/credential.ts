import { Entity, Unique } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import {
  Bytes,
  Choice,
  Computed,
  Json,
  Key,
  KeyList,
  Moment,
  Noun,
  Owner,
  Text,
  TextList,
} from '../vocabulary/columns.ts';
import { Account } from './account.ts';
import { App, AppKey, OauthApp } from './app.ts';
import { Installation, RepositorySelection } from './installation.ts';
import { Permissions } from './permission-map.ts';
import { Repository } from './repository.ts';

export const CredentialKind = {
  CLASSIC: 'classic',
  FINE_GRAINED: 'fine_grained',
  OAUTH: 'oauth',
  USER_TO_SERVER: 'user_to_server',
  INSTALLATION: 'installation',
  WORKFLOW: 'workflow',
} as const;
registerEnumType(CredentialKind, {
  name: 'CredentialKind',
  description:
    'Classic and fine-grained tokens of a user, tokens of apps for a user or for themselves, tokens of a workflow.',
});

@Noun('host_credential', 'A token, without its secret: that is shown once, when the token is made.')
export class HostCredential {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the token.')
  databaseId!: number;

  @Choice(() => CredentialKind, { about: 'What kind of token it is.' })
  kind!: string;

  /** SHA-256 of the whole text. */
  @Unique({ name: 'host_credential_hash_key' })
  @Bytes({ hidden: true })
  hash!: Buffer;

  @Text({ about: 'The last eight characters of the secret, to tell tokens apart.' })
  lastEight!: string;

  /** Whom it acts for; null where an app or a workflow acts for itself. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  account!: Account | null;

  @Text({ about: 'What its owner calls it.', default: '' })
  note!: string;

  @TextList({ about: 'Of a classic or OAuth token: what it is good for.' })
  scopes!: string[];

  @Json(() => Permissions, { about: 'Of the other kinds: what it may do.' })
  permissions!: unknown;

  /** Of a fine-grained token: the account whose repositories it is about. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  resourceOwner!: Account | null;

  @Choice(() => RepositorySelection, { about: 'Which repositories it is about.', default: 'all' })
  repositorySelection!: string;

  @Owner(() => App, { onDelete: 'cascade', null: true })
  app!: App | null;

  @Owner(() => OauthApp, { onDelete: 'cascade', null: true })
  oauthApp!: OauthApp | null;

  @Owner(() => Installation, { onDelete: 'cascade', null: true })
  installation!: Installation | null;

  /** The credential that it was made with. It never does more than that one, and ends with it. */
  @Owner(() => HostCredential, { onDelete: 'cascade', null: true })
  parent!: HostCredential | null;

  /** Of an installation token: the key that signed the request for it. */
  @Owner(() => AppKey, { onDelete: 'cascade', null: true })
  appKey!: AppKey | null;

  @Computed(() => GraphQLSafeInt, 'Number of the token that it was made with; it ends with that one.', { null: true })
  parentId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Of an installation token: number of the installation.', { null: true })
  installationId!: number | null;

  @Moment({ about: 'When it was made.' })
  createdAt!: Date;

  @Moment({ about: 'When it last changed.' })
  updatedAt!: Date;

  @Moment({ about: 'Until when it is good; null for ever.', null: true })
  expiresAt!: Date | null;

  @Moment({ hidden: true, null: true })
  revokedAt!: Date | null;
}

/** A repository that a token was narrowed to. */
@Entity({ tableName: 'credential_repository' })
export class CredentialRepository {
  @Owner(() => HostCredential, { onDelete: 'cascade', key: true })
  credential!: HostCredential;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repository!: Repository;
}

/** That a classic token may be used with an organization that enforces single sign-on. */
@Entity({ tableName: 'sso_authorization' })
export class SsoAuthorization {
  @Owner(() => HostCredential, { onDelete: 'cascade', key: true })
  credential!: HostCredential;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organization!: Account;

  @Moment({ hidden: true })
  authorizedAt!: Date;

  /** The credentials that it hangs on: it ends with any of them. Empty: given by the operator. */
  @KeyList({ hidden: true })
  authorizedByIds!: number[];
}

@ObjectType({ description: 'A new token. Its secret is shown here and never again.', simpleResolvers: true })
export class IssuedToken {
  @Computed(() => String, 'The secret, for the Authorization header.')
  token!: string;

  @Computed(() => HostCredential, 'What is kept of it.')
  credential!: unknown;
}
