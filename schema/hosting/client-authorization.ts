import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Account, User } from './account.ts';
import { RepositorySelection } from './installation.ts';
import { PermissionGrant, type PermissionMap } from './permission-map.ts';

@ObjectType({ description: 'App that a token belongs to.', simpleResolvers: true })
export class ClientApp {
  @Computed(() => String, 'Client id of the app.')
  clientId!: string;

  @Computed(() => String, 'Display name of the app.')
  name!: string;

  @Computed(() => String, 'URL of the website.')
  url!: string;
}

@ObjectType({ description: 'Restriction of a user token of an app to one installation.', simpleResolvers: true })
export class NarrowedInstallation {
  @Computed(() => [PermissionGrant], 'Permissions of the token.')
  permissions!: PermissionMap;

  @Computed(() => RepositorySelection, 'Repositories of the token: all or selected.')
  repositorySelection!: RepositorySelection;

  @Computed(() => Account, 'Account of the installation.')
  account!: unknown;
}

@ObjectType({ description: 'User token of an app as the app sees it.', simpleResolvers: true })
export class ClientAuthorization {
  @Computed(() => GraphQLSafeInt, 'Number of the token.')
  databaseId!: number;

  @Computed(() => [String], 'Scopes; empty for tokens with permissions.')
  scopes!: string[];

  @Computed(() => String, 'Secret for the Authorization header.')
  secret!: string;

  @Computed(() => String, 'Last eight characters of the secret.', { null: true })
  lastEight!: string | null;

  @Computed(() => String, 'SHA-256 of the secret in hexadecimal.', { null: true })
  secretHash!: string | null;

  @Computed(() => ClientApp, 'App that the token is of.')
  app!: ClientApp;

  @Computed(() => String, 'Note of the owner; null for none.', { null: true })
  note!: string | null;

  @Computed(() => DateTime, 'Time of creation.')
  createdAt!: string;

  @Computed(() => DateTime, 'Time of the last change.')
  updatedAt!: string;

  @Computed(() => DateTime, 'Time of expiry; null for never.', { null: true })
  expiresAt!: string | null;

  @Computed(() => User, 'User that the token acts for.', { null: true })
  user!: unknown;

  @Computed(() => NarrowedInstallation, 'Installation that the token is restricted to; null for none.', { null: true })
  installation!: NarrowedInstallation | null;
}
