import { Entity } from '@mikro-orm/decorators/legacy';
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
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { App, AppKey, OauthApp } from './app.ts';
import { Installation, RepositorySelection } from './installation.ts';
import { type PermissionMap, Permissions } from './permission-map.ts';
import { Repository } from './repository.ts';

export const CredentialKind = {
  CLASSIC: 'classic',
  FINE_GRAINED: 'fine_grained',
  OAUTH: 'oauth',
  USER_TO_SERVER: 'user_to_server',
  INSTALLATION: 'installation',
  WORKFLOW: 'workflow',
} as const;
export type CredentialKind = (typeof CredentialKind)[keyof typeof CredentialKind];
registerEnumType(CredentialKind, {
  name: 'CredentialKind',
  description:
    'Classic and fine-grained tokens of a user, tokens of apps for a user or for themselves, tokens of a workflow.',
});

@Noun('host_credential', 'A token, without its secret: that is shown once, when the token is made.')
@Unique<HostCredential>('host_credential_hash_key', ['hash'])
@Index<HostCredential>('host_credential_by_account', ['accountId', 'id'], { where: c => `${c.accountId} is not null` })
@Index<HostCredential>('host_credential_by_app', ['appId', 'accountId'], { where: c => `${c.appId} is not null` })
@Index<HostCredential>('host_credential_by_app_key', ['appKeyId'], { where: c => `${c.appKeyId} is not null` })
@Index<HostCredential>('host_credential_by_installation', ['installationId'], {
  where: c => `${c.installationId} is not null`,
})
@Index<HostCredential>('host_credential_by_oauth_app', ['oauthAppId', 'accountId'], {
  where: c => `${c.oauthAppId} is not null`,
})
@Index<HostCredential>('host_credential_by_parent', ['parentId'], { where: c => `${c.parentId} is not null` })
@Index<HostCredential>('host_credential_by_resource_owner', ['resourceOwnerId'], {
  where: c => `${c.resourceOwnerId} is not null`,
})
@Index<HostCredential>('host_credential_expired', ['expiresAt'], { where: c => `${c.expiresAt} is not null` })
export class HostCredential {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the token.')
  databaseId!: number;

  @Choice(() => CredentialKind, { about: 'What kind of token it is.' })
  kind!: CredentialKind;

  /** SHA-256 of the whole text. */
  @Bytes({ hidden: true })
  hash!: Buffer;

  @Text({ about: 'The last eight characters of the secret, to tell tokens apart.' })
  lastEight!: string;

  /** Whom it acts for; null where an app or a workflow acts for itself. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  accountId!: number | null;

  @Text({ about: 'What its owner calls it.', default: '' })
  note!: string;

  @TextList({ about: 'Of a classic or OAuth token: what it is good for.' })
  scopes!: string[];

  @Json(() => Permissions, { about: 'Of the other kinds: what it may do.', default: '{}' })
  permissions!: PermissionMap;

  /** Of a fine-grained token: the account whose repositories it is about. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  resourceOwnerId!: number | null;

  @Choice(() => RepositorySelection, { about: 'Which repositories it is about.', default: 'all' })
  repositorySelection!: RepositorySelection;

  @Owner(() => App, { onDelete: 'cascade', null: true })
  appId!: number | null;

  @Owner(() => OauthApp, { onDelete: 'cascade', null: true })
  oauthAppId!: number | null;

  /** Of an installation token: the key that signed the request for it. */
  @Owner(() => AppKey, { onDelete: 'cascade', null: true })
  appKeyId!: number | null;

  @Owner(() => HostCredential, {
    onDelete: 'cascade',
    null: true,
    about: 'Number of the token that it was made with; it ends with that one.',
  })
  parentId!: number | null;

  @Owner(() => Installation, {
    onDelete: 'cascade',
    null: true,
    about: 'Of an installation token: number of the installation.',
  })
  installationId!: number | null;

  @Moment({ about: 'When it was made.' })
  createdAt!: string;

  @Moment({ about: 'When it last changed.' })
  updatedAt!: string;

  @Moment({ about: 'Until when it is good; null for ever.', null: true })
  expiresAt!: string | null;

  @Moment({ hidden: true, null: true })
  revokedAt!: string | null;
}

/** A repository that a token was narrowed to. */
@Entity({ tableName: 'credential_repository' })
@Index<CredentialRepository>('credential_repository_by_repository', ['repositoryId'])
export class CredentialRepository {
  @Owner(() => HostCredential, { onDelete: 'cascade', key: true })
  credentialId!: number;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;
}

/** That a classic token may be used with an organization that enforces single sign-on. */
@Entity({ tableName: 'sso_authorization' })
@Index<SsoAuthorization>('sso_authorization_by_organization', ['organizationId'])
export class SsoAuthorization {
  @Owner(() => HostCredential, { onDelete: 'cascade', key: true })
  credentialId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organizationId!: number;

  @Moment({ hidden: true })
  authorizedAt!: string;

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
