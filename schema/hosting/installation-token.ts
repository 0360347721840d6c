import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { App, AppKey } from './app.ts';
import { RepositorySelection } from './installation.ts';
import { type PermissionMap, Permissions } from './permission-map.ts';
import { Repository } from './repository.ts';

@ObjectType({ description: 'New installation token, which is shown only here.', simpleResolvers: true })
export class InstallationToken {
  @Computed(() => String, 'Token for the Authorization header.')
  token!: string;

  @Computed(() => DateTime, 'Time of expiry: one hour after creation.')
  expiresAt!: string;

  @Computed(() => Permissions, 'Permissions of the token.')
  permissions!: PermissionMap;

  @Computed(() => RepositorySelection, 'Repositories of the token: all or selected.')
  repositorySelection!: RepositorySelection;

  @Computed(() => [Repository], 'Repositories that the token is restricted to; null for no restriction.', {
    null: true,
  })
  repositories!: unknown;
}

@ObjectType({ description: 'New app, with its secret, which is shown only here.', simpleResolvers: true })
export class RegisteredApp {
  @Computed(() => App, 'App.')
  app!: unknown;

  @Computed(() => String, 'Client secret.')
  clientSecret!: string;
}

@ObjectType({ description: 'New OAuth app, with its secret, which is shown only here.', simpleResolvers: true })
export class RegisteredOauthApp {
  @Computed(() => String, 'Client id.')
  clientId!: string;

  @Computed(() => String, 'Client secret.')
  clientSecret!: string;
}

@ObjectType({ description: 'New key of an app. A private key is shown only here.', simpleResolvers: true })
export class AddedAppKey {
  @Computed(() => AppKey, 'Key.')
  key!: unknown;

  @Computed(() => String, 'Private key in PEM; null where the public key was sent.', { null: true })
  privateKey!: string | null;
}
