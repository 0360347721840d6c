import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Json, Key, Moment, Noun, Owner, TextList, Whole } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Account, AccountKind } from './account.ts';
import { App } from './app.ts';
import { PermissionGrant, type PermissionMap } from './permission-map.ts';
import { Repository } from './repository.ts';

export const RepositorySelection = { ALL: 'all', SELECTED: 'selected' } as const;
export type RepositorySelection = (typeof RepositorySelection)[keyof typeof RepositorySelection];
registerEnumType(RepositorySelection, {
  name: 'RepositorySelection',
  description: 'Repositories: all of the owner, future ones included, or selected ones.',
});

@Noun('installation', 'Installation of an app by an account.')
@Unique<Installation>('installation_once', ['appId', 'accountId'])
@Index<Installation>('installation_by_account', ['accountId', 'appId'])
@Index<Installation>('installation_by_suspender', ['suspendedById'], { where: c => `${c.suspendedById} is not null` })
@Index<Installation>('installation_by_installer', ['installedById'], { where: c => `${c.installedById} is not null` })
@Retained<Installation>({ rows: 'until the app is uninstalled' })
export class Installation {
  @Key()
  id!: number;

  @Owner(() => App, { onDelete: 'cascade' })
  appId!: number;

  @Computed(() => String, 'Slug of the app.')
  appSlug!: string;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Computed(() => AccountKind, 'Kind of the account on which the app is installed.')
  accountKind!: AccountKind;

  @Choice(() => RepositorySelection, { about: 'Repositories of the installation: all or selected.' })
  repositorySelection!: RepositorySelection;

  @Json(() => [PermissionGrant], { about: 'Permissions granted to the app.', default: '{}' })
  permissions!: PermissionMap;

  @TextList({ about: 'Names of the events that the app receives.' })
  events!: string[];

  @Moment({ about: 'Time of suspension; null where it is not suspended.', null: true })
  suspendedAt!: string | null;

  @Owner(() => Account, { onDelete: 'set null', null: true })
  suspendedById!: number | null;

  /** Id of the credential of the last installation: installation tokens never exceed it, and end with it. */
  @Whole({ hidden: true, null: true })
  installedById!: number | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change.' })
  updatedAt!: string;
}

export const InstallationConnection = connectionOf('Installation', () => Installation, 'installations');

@ObjectType({ description: 'Repositories that an installation token reaches.', simpleResolvers: true })
export class InstallationReach {
  @Computed(() => RepositorySelection, 'Which repositories: all of the account, or selected ones.')
  repositorySelection!: RepositorySelection;
}

/** Repository that an installation is restricted to. */
@Entity({ tableName: 'installation_repository' })
@Index<InstallationRepository>('installation_repository_by_repository', ['repositoryId'])
@Retained<InstallationRepository>({ rows: 'as long as the installation' })
export class InstallationRepository {
  @Owner(() => Installation, { onDelete: 'cascade', key: true })
  installationId!: number;

  @Owner(() => Repository, { onDelete: 'cascade', key: true })
  repositoryId!: number;
}
