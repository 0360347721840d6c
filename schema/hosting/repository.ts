import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, Int, ObjectType } from 'type-graphql';
import { Bool, Computed, Key, Moment, Noun, Owner, PrimaryText, Text, TextList, Whole } from '../vocabulary/columns.ts';
import { Cost } from '../vocabulary/cost.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';

@ObjectType({
  description: 'What the caller may do in a repository, each including the ones after it.',
  simpleResolvers: true,
})
export class RepositoryPermissions {
  @Computed(() => Boolean, 'Everything, its settings and its people.')
  admin!: boolean;

  @Computed(() => Boolean, 'Settings that destroy nothing.')
  maintain!: boolean;

  @Computed(() => Boolean, 'Change its contents.')
  push!: boolean;

  @Computed(() => Boolean, 'Sort what others report.')
  triage!: boolean;

  @Computed(() => Boolean, 'Read it.')
  pull!: boolean;
}

@Noun('repository', 'A repository.')
@Index<Repository>('repository_by_network', ['networkRootId'], { where: c => `${c.networkRootId} is not null` })
@Index<Repository>('repository_by_parent', ['parentId'], { where: c => `${c.parentId} is not null` })
@Index<Repository>('repository_name', ['ownerId', c => `lower(${c.name})`], { unique: true })
export class Repository {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the repository. It stays when the repository is renamed.')
  databaseId!: number;

  @Computed(() => ID, 'Identifier of the repository among all things there are.')
  nodeId!: string;

  @Owner(() => Account, { onDelete: 'restrict' })
  ownerId!: number;

  @Text({ about: 'Its name among those of its owner. Capitals make no difference.' })
  name!: string;

  @Computed(() => String, 'Login of the owner, a slash and the name.')
  fullName!: string;

  @Text({ about: 'What it is for, in a sentence.', null: true })
  description!: string | null;

  @Text({ about: 'Address of its own page.', null: true })
  homepage!: string | null;

  @Bool({ about: 'Whether only those see it who have been let in.', default: false })
  isPrivate!: boolean;

  @Bool({ about: 'Whether nothing in it can be changed any more.', default: false })
  isArchived!: boolean;

  @Bool({ about: 'Whether new repositories may be made after it.', default: false })
  isTemplate!: boolean;

  @Computed(() => Boolean, 'Whether it began as a copy of another one.')
  isFork!: boolean;

  @Text({ about: 'The branch that is meant when none is named.', default: 'main' })
  defaultBranch!: string;

  @TextList({ about: 'Words it can be found by.' })
  topics!: string[];

  /** Sizes of the objects of the repository before compression; `size` is made of it. Maintained by a job. */
  @Whole({ hidden: true, default: 0 })
  storedBytes!: number;

  @Computed(() => Int, 'Kilobytes of all that was ever stored in it, before compression.')
  size!: number;

  @Owner(() => Repository, { onDelete: 'set null', null: true })
  parentId!: number | null;

  /** The repository that all forks of forks go back to; null for one that is no fork. */
  @Owner(() => Repository, { onDelete: 'set null', null: true })
  networkRootId!: number | null;

  @Moment({ about: 'When it was made.' })
  createdAt!: string;

  @Moment({ about: 'When it or its settings last changed.' })
  updatedAt!: string;

  @Moment({ about: 'When something was last pushed to it; null before the first time.', null: true })
  pushedAt!: string | null;

  @Cost(1)
  @Computed(() => Int, 'How many have starred it.')
  stars!: number;

  @Cost(1)
  @Computed(() => Int, 'How many watch it.')
  watchers!: number;

  @Cost(1)
  @Computed(() => Int, 'Direct forks.')
  forks!: number;

  @Cost(1)
  @Computed(() => Int, 'Other repositories that go back to the same first one.')
  networkCount!: number;

  @Computed(() => RepositoryPermissions, 'What the caller may do; null where nobody is known to ask.', { null: true })
  permissions!: RepositoryPermissions | null;
}

export const RepositoryPage = pageOf('RepositoryPage', () => Repository, 'A page of repositories.');

/** A name that a repository had under an owner. It leads to the repository until another one takes it. */
@Entity({ tableName: 'former_repository_name' })
@Index<FormerRepositoryName>('former_repository_name_by_repository', ['repositoryId'])
export class FormerRepositoryName {
  @Owner(() => Account, { onDelete: 'cascade', key: true })
  ownerId!: number;

  /** In lower case. */
  @PrimaryText()
  name!: string;

  @Owner(() => Repository, { onDelete: 'cascade' })
  repositoryId!: number;

  @Moment({ hidden: true })
  leftAt!: string;
}
