import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Json, Key, Moment, Noun, Owner, TextList, Whole } from '../vocabulary/columns.ts';
import { Account } from './account.ts';
import { App } from './app.ts';
import { Permissions } from './permission-map.ts';
import { Repository } from './repository.ts';

export const RepositorySelection = { ALL: 'all', SELECTED: 'selected' } as const;
registerEnumType(RepositorySelection, {
  name: 'RepositorySelection',
  description: 'Every repository of the owner, those to come included, or the selected ones.',
});

@Noun('installation', 'That an account lets an app work in its repositories.')
export class Installation {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the installation.')
  databaseId!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the app.')
  appId!: number;

  @Computed(() => String, 'Name of the app in addresses.')
  appSlug!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the account that installed the app.')
  accountId!: number;

  @Computed(() => String, '`User` or `Organization`: what installed the app.')
  accountType!: string;

  @Owner(() => App, { onDelete: 'cascade' })
  app!: App;

  @Owner(() => Account, { onDelete: 'cascade' })
  account!: Account;

  @Choice(() => RepositorySelection, { about: 'Which repositories it is about.' })
  repositorySelection!: string;

  @Json(() => Permissions, { about: 'What the app may do there.' })
  permissions!: unknown;

  @TextList({ about: 'What the app is told.' })
  events!: string[];

  @Moment({ about: 'Since when the app is kept out; null while it is not.', null: true })
  suspendedAt!: Date | null;

  @Owner(() => Account, { onDelete: 'cascade', null: true })
  suspendedBy!: Account | null;

  /** Number of the credential that installed it last: its tokens never do more than that one, and end with it. */
  @Whole({ hidden: true, null: true })
  installedById!: number | null;

  @Moment({ about: 'When the app was installed.' })
  createdAt!: Date;

  @Moment({ about: 'When the installation last changed.' })
  updatedAt!: Date;
}

/** A repository that an installation was narrowed to. */
@Entity({ tableName: 'installation_repository' })
export class InstallationRepository {
  @Owner(() => Installation, { onDelete: 'cascade', key: true })
  installation!: Installation;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repository!: Repository;
}
