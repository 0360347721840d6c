import { Entity } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { Bytes, Choice, Json, Key, KeyList, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { App, AppKey, OauthApp } from './app.ts';
import { Installation, RepositorySelection } from './installation.ts';
import { PermissionGrant, type PermissionMap } from './permission-map.ts';
import { Repository } from './repository.ts';

export const CredentialKind = {
  CLASSIC: 'classic',
  FINE_GRAINED: 'fine_grained',
  OAUTH: 'oauth',
  USER_TO_SERVER: 'user_to_server',
  INSTALLATION: 'installation',
  WORKFLOW: 'workflow',
  SERVICE: 'service',
} as const;
export type CredentialKind = (typeof CredentialKind)[keyof typeof CredentialKind];
registerEnumType(CredentialKind, {
  name: 'TokenKind',
  description:
    'Kind of a token. A user has classic and fine-grained ones, an app those for users and installations, a workflow its own. `SERVICE` reads counts of the whole installation and belongs to its operator.',
});

@Noun('host_credential', 'Token without its secret, which is shown once, at creation.', { name: 'Token' })
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
@Retained<HostCredential>({ rows: '30 days after they expired or were revoked', job: 'credential-housekeeping' })
export class HostCredential {
  @Key()
  id!: number;

  @Choice(() => CredentialKind, { about: 'Kind of the token.' })
  kind!: CredentialKind;

  /** SHA-256 of the whole token. */
  @Bytes({ hidden: true })
  hash!: Buffer;

  @Text({ about: 'Last eight characters of the secret, to tell tokens apart.' })
  lastEight!: string;

  /** Account that the token acts for; null for those of an installation, a workflow or a service. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  accountId!: number | null;

  @Text({ about: 'Note of the owner; may be empty.', default: '' })
  note!: string;

  @TextList({ about: 'Scopes of a classic or OAuth token; empty for other kinds.' })
  scopes!: string[];

  @Json(() => [PermissionGrant], {
    about: 'Permissions of the other kinds; empty for classic and OAuth tokens.',
    default: '{}',
  })
  permissions!: PermissionMap;

  /** Account whose repositories a fine-grained token covers. */
  @Owner(() => Account, { onDelete: 'cascade', null: true })
  resourceOwnerId!: number | null;

  @Choice(() => RepositorySelection, { about: 'Repositories of the token: all or selected.', default: 'all' })
  repositorySelection!: RepositorySelection;

  @Owner(() => App, { onDelete: 'cascade', null: true })
  appId!: number | null;

  @Owner(() => OauthApp, { onDelete: 'cascade', null: true })
  oauthAppId!: number | null;

  /** Key that signed the request for an installation token. */
  @Owner(() => AppKey, { onDelete: 'cascade', null: true })
  appKeyId!: number | null;

  @Owner(() => HostCredential, {
    onDelete: 'cascade',
    null: true,
  })
  parentId!: number | null;

  @Owner(() => Installation, {
    onDelete: 'cascade',
    null: true,
  })
  installationId!: number | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change.' })
  updatedAt!: string;

  @Moment({ about: 'Time of expiry; null for never.', null: true })
  expiresAt!: string | null;

  @Moment({ hidden: true, null: true })
  revokedAt!: string | null;
}

/** Repository that a token is restricted to. */
@Entity({ tableName: 'credential_repository' })
@Index<CredentialRepository>('credential_repository_by_repository', ['repositoryId'])
@Retained<CredentialRepository>({ rows: 'as long as the token' })
export class CredentialRepository {
  @Owner(() => HostCredential, { onDelete: 'cascade', key: true })
  credentialId!: number;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;
}

/** Authorization of a classic token for an organization that enforces single sign-on. */
@Entity({ tableName: 'sso_authorization' })
@Index<SsoAuthorization>('sso_authorization_by_organization', ['organizationId'])
@Retained<SsoAuthorization>({ rows: 'as long as the token' })
export class SsoAuthorization {
  @Owner(() => HostCredential, { onDelete: 'cascade', key: true })
  credentialId!: number;

  @Owner(() => Account, { onDelete: 'cascade', key: true })
  organizationId!: number;

  @Moment({ hidden: true })
  authorizedAt!: string;

  /** Ids of the credentials that it depends on: it ends with any of them. Empty for one given by the operator. */
  @KeyList({ hidden: true })
  authorizedByIds!: number[];
}

export const TokenConnection = connectionOf('Token', () => HostCredential, 'tokens');
