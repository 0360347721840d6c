import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { App, AppKey } from './app.ts';
import { RepositorySelection } from './installation.ts';
import { Permissions } from './permission-map.ts';
import { Repository } from './repository.ts';

@ObjectType({ description: 'A new token of an installation. It is shown here and never again.', simpleResolvers: true })
export class InstallationToken {
  @Computed(() => String, 'The token, for the Authorization header.')
  token!: string;

  @Computed(() => Instant, 'Until when it is good: an hour.')
  expiresAt!: string;

  @Computed(() => Permissions, 'What it may do.')
  permissions!: unknown;

  @Computed(() => RepositorySelection, 'Which repositories it is about.')
  repositorySelection!: string;

  @Computed(() => [Repository], 'What it was narrowed to; null where it was not.', { null: true })
  repositories!: unknown;
}

@ObjectType({ description: 'A new app. Its secret is shown here and never again.', simpleResolvers: true })
export class RegisteredApp {
  @Computed(() => App, 'The app.')
  app!: unknown;

  @Computed(() => String, 'Its secret.')
  clientSecret!: string;
}

@ObjectType({ description: 'A new OAuth app. Its secret is shown here and never again.', simpleResolvers: true })
export class RegisteredOauthApp {
  @Computed(() => String, 'Its client id.')
  clientId!: string;

  @Computed(() => String, 'Its secret.')
  clientSecret!: string;
}

@ObjectType({ description: 'A new key of an app. A private key is shown here and never again.', simpleResolvers: true })
export class AddedAppKey {
  @Computed(() => AppKey, 'The key.')
  key!: unknown;

  @Computed(() => String, 'The private key, PEM; null where the public one was sent.', { null: true })
  privateKey!: string | null;
}
