import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Json, Key, Moment, Noun, Owner, TextList, Whole } from '../vocabulary/columns.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { App } from './app.ts';
import { type PermissionMap, Permissions } from './permission-map.ts';
import { Repository } from './repository.ts';

export const RepositorySelection = { ALL: 'all', SELECTED: 'selected' } as const;
export type RepositorySelection = (typeof RepositorySelection)[keyof typeof RepositorySelection];
registerEnumType(RepositorySelection, {
  name: 'RepositorySelection',
  description: 'Every repository of the owner, those to come included, or the selected ones.',
});

@Noun('installation', 'That an account lets an app work in its repositories.')
@Unique<Installation>('installation_once', ['appId', 'accountId'])
@Index<Installation>('installation_by_account', ['accountId', 'appId'])
@Index<Installation>('installation_by_installer', ['installedById'], { where: c => `${c.installedById} is not null` })
export class Installation {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the installation.')
  databaseId!: number;

  @Owner(() => App, { onDelete: 'cascade', about: 'Number of the app.' })
  appId!: number;

  @Computed(() => String, 'Name of the app in addresses.')
  appSlug!: string;

  @Owner(() => Account, { onDelete: 'cascade', about: 'Number of the account that installed the app.' })
  accountId!: number;

  @Computed(() => String, '`User` or `Organization`: what installed the app.')
  accountType!: string;

  @Choice(() => RepositorySelection, { about: 'Which repositories it is about.' })
  repositorySelection!: RepositorySelection;

  @Json(() => Permissions, { about: 'What the app may do there.', default: '{}' })
  permissions!: PermissionMap;

  @TextList({ about: 'What the app is told.' })
  events!: string[];

  @Moment({ about: 'Since when the app is kept out; null while it is not.', null: true })
  suspendedAt!: string | null;

  @Owner(() => Account, { onDelete: 'set null', null: true })
  suspendedById!: number | null;

  /** Number of the credential that installed it last: its tokens never do more than that one, and end with it. */
  @Whole({ hidden: true, null: true })
  installedById!: number | null;

  @Moment({ about: 'When the app was installed.' })
  createdAt!: string;

  @Moment({ about: 'When the installation last changed.' })
  updatedAt!: string;
}

/** A repository that an installation was narrowed to. */
@Entity({ tableName: 'installation_repository' })
@Index<InstallationRepository>('installation_repository_by_repository', ['repositoryId'])
export class InstallationRepository {
  @Owner(() => Installation, { onDelete: 'cascade', key: true })
  installationId!: number;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;
}
