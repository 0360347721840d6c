import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Account } from './account.ts';
import { RepositorySelection } from './installation.ts';
import { Permissions } from './permission-map.ts';

@ObjectType({ description: 'The app that a token belongs to.', simpleResolvers: true })
export class ClientApp {
  @Computed(() => String, 'Its client id.')
  clientId!: string;

  @Computed(() => String, 'Its name for people.')
  name!: string;

  @Computed(() => String, 'Its own page.')
  url!: string;
}

@ObjectType({ description: 'What a token of an app for a user was narrowed to.', simpleResolvers: true })
export class NarrowedInstallation {
  @Computed(() => Permissions, 'What it may do there.')
  permissions!: unknown;

  @Computed(() => RepositorySelection, 'Which repositories it is about.')
  repositorySelection!: string;

  @Computed(() => Account, 'The account it is about.')
  account!: unknown;
}

@ObjectType({ description: 'A token of an app for a user, as the app itself may see it.', simpleResolvers: true })
export class ClientAuthorization {
  @Computed(() => GraphQLSafeInt, 'Number of the token.')
  databaseId!: number;

  @Computed(() => [String], 'What it is good for; empty for tokens that go by permissions.')
  scopes!: string[];

  @Computed(() => String, 'The token.')
  token!: string;

  @Computed(() => String, 'Its last eight characters.', { null: true })
  tokenLastEight!: string | null;

  @Computed(() => String, 'Its SHA-256 in hex digits.', { null: true })
  hashedToken!: string | null;

  @Computed(() => ClientApp, 'The app.')
  app!: unknown;

  @Computed(() => String, 'What its owner calls it.', { null: true })
  note!: string | null;

  @Computed(() => String, 'A page about it; there is none.', { null: true })
  noteUrl!: string | null;

  @Computed(() => String, 'What tells it apart from others of the same app and user; nothing does.', { null: true })
  fingerprint!: string | null;

  @Computed(() => Instant, 'When it was made.')
  createdAt!: string;

  @Computed(() => Instant, 'When it last changed.')
  updatedAt!: string;

  @Computed(() => Instant, 'Until when it is good; null for ever.', { null: true })
  expiresAt!: string | null;

  @Computed(() => Account, 'Whom it acts for.', { null: true })
  user!: unknown;

  @Computed(() => NarrowedInstallation, 'What it was narrowed to; null where it was not.', { null: true })
  installation!: NarrowedInstallation | null;
}
