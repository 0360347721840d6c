import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, ObjectType } from 'type-graphql';
import { Bool, Computed, Key, Moment, Owner, PrimaryText, Text, TextList, Whole } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { UniformResourceLocatable } from './actor.ts';
import { RepositoryInfo } from './repository-info.ts';
import { Starrable, Subscribable } from './starrable.ts';

@Entity({ tableName: 'repository' })
@ObjectType({
  implements: [RepositoryInfo, Starrable, Subscribable, UniformResourceLocatable],
  description: 'Repository of a user or an organization.',
  simpleResolvers: true,
})
@Index<Repository>('repository_by_created', ['ownerId', 'createdAt', 'id'])
@Index<Repository>('repository_by_updated', ['ownerId', 'updatedAt', 'id'])
@Index<Repository>('repository_fork_by_created', ['parentId', 'createdAt desc', 'id'], {
  where: c => `${c.parentId} is not null`,
})
@Index<Repository>('repository_private', ['ownerId'], { where: c => `${c.isPrivate}` })
@Index<Repository>('repository_updated', ['updatedAt', 'id'])
@Index<Repository>('repository_by_network', ['networkRootId'], { where: c => `${c.networkRootId} is not null` })
@Index<Repository>('repository_by_parent', ['parentId'], { where: c => `${c.parentId} is not null` })
@Index<Repository>('repository_by_template', ['templateId'], { where: c => `${c.templateId} is not null` })
@Index<Repository>('repository_name', ['ownerId', c => `lower(${c.name})`], { unique: true })
@Retained<Repository>({ rows: 'until the repository is deleted' })
export class Repository {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'restrict' })
  ownerId!: number;

  @Text({ about: 'Name, unique within the owner without regard to case.' })
  name!: string;

  @Text({ about: 'Description; null for none.', null: true })
  description!: string | null;

  @Text({ hidden: true, null: true })
  homepage!: string | null;

  @Computed(() => Uri, 'URL of the homepage, as entered; null for none.', { null: true })
  homepageUrl!: string | null;

  @Bool({ about: 'Whether the repository is private.', default: false })
  isPrivate!: boolean;

  @Bool({ about: 'Whether the repository is archived, that is read-only.', default: false })
  isArchived!: boolean;

  @Bool({ about: 'Whether the repository is a template.', default: false })
  isTemplate!: boolean;

  @Bool({ about: 'Whether the git data of a new fork is still being copied; until then it is empty.', default: false })
  isCopying!: boolean;

  @Computed(() => Boolean, 'Whether the repository is a fork.')
  isFork!: boolean;

  @Computed(() => Boolean, 'Whether the repository has no branch and no tag.')
  isEmpty!: boolean;

  @Text({ about: 'Name of the default branch.', default: 'main' })
  defaultBranch!: string;

  @TextList({ about: 'Names of the topics.' })
  topics!: string[];

  /** In the graph, `primaryLanguage { name }`. Counted by a job after the default branch has changed. */
  @Text({ hidden: true, null: true })
  primaryLanguageName!: string | null;

  /** Bytes of all objects ever stored, before compression. Recent pushes are in `repository_growth` and not included yet. */
  @Whole({ hidden: true, default: 0 })
  storedBytes!: number;

  @Computed(() => Int, 'Size of all objects ever stored, before compression; kilobytes.')
  diskUsage!: number;

  @Owner(() => Repository, { onDelete: 'set null', null: true })
  parentId!: number | null;

  /** Root of the fork network; null for a repository that is not a fork. */
  @Owner(() => Repository, { onDelete: 'set null', null: true })
  networkRootId!: number | null;

  /** Template that the repository was created from. */
  @Owner(() => Repository, { onDelete: 'set null', null: true })
  templateId!: number | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change of the repository or its settings.' })
  updatedAt!: string;

  @Moment({ about: 'Time of the last push; null for none.', null: true })
  pushedAt!: string | null;

  @Computed(() => DateTime, 'Time of the last push; of the creation for none.')
  pushedOrCreatedAt!: string;

  @Computed(() => Int, 'Number of stars.')
  stargazerCount!: number;

  @Computed(() => Int, 'Number of watchers.')
  watcherCount!: number;

  @Computed(() => Int, 'Number of direct forks, whether you can see them or not.')
  forkCount!: number;

  @Computed(() => Int, 'Number of other repositories of the fork network, whether you can see them or not.')
  networkForkCount!: number;

  @Computed(() => Boolean, 'Whether you have starred the repository.')
  viewerHasStarred!: boolean;
}

export const RepositoryConnection = connectionOf('Repository', () => Repository, 'repositories');

export const StarredRepositoryConnection = connectionOf('StarredRepository', () => Repository, 'starred repositories', {
  edgeFields: { starredAt: [() => DateTime, 'Time of the star.'] },
});

/** Former name of a repository under an owner. It redirects to the repository until another one takes the name. */
@Entity({ tableName: 'former_repository_name' })
@Index<FormerRepositoryName>('former_repository_name_by_repository', ['repositoryId'])
@Retained<FormerRepositoryName>({ days: 1095, since: 'leftAt' })
export class FormerRepositoryName {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  ownerId!: number;

  /** Lower case. */
  @PrimaryText()
  name!: string;

  @Owner(() => Repository, { onDelete: 'cascade' })
  repositoryId!: number;

  @Moment({ hidden: true })
  leftAt!: string;
}
