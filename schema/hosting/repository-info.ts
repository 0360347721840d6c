import { ID, Int, InterfaceType, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';

@ObjectType({
  description: 'Your permissions in a repository; each includes those after it.',
  simpleResolvers: true,
})
export class RepositoryPermissions {
  @Computed(() => Boolean, 'Whether you may administer settings and people.')
  admin!: boolean;

  @Computed(() => Boolean, 'Whether you may change non-destructive settings.')
  maintain!: boolean;

  @Computed(() => Boolean, 'Whether you may push.')
  push!: boolean;

  @Computed(() => Boolean, 'Whether you may triage reports.')
  triage!: boolean;

  @Computed(() => Boolean, 'Whether you may read.')
  pull!: boolean;
}

/** What is said of a repository without leading into it. */
@InterfaceType({ description: 'Facts about a repository, without its contents and its lists.' })
export abstract class RepositoryInfo {
  @Computed(() => ID, 'Global id of the repository. Pass it to `node(id:)`.')
  id!: unknown;

  @Computed(() => Int, 'Number of the repository, unique among repositories.')
  databaseId!: number;

  @Computed(() => String, 'Name, unique within the owner without regard to case.')
  name!: string;

  @Computed(() => String, 'Description; null for none.', { null: true })
  description!: string | null;

  @Computed(() => Uri, 'URL of the homepage, as entered; null for none.', { null: true })
  homepageUrl!: string | null;

  @Computed(() => Boolean, 'Whether the repository is private.')
  isPrivate!: boolean;

  @Computed(() => Boolean, 'Whether the repository is archived, that is read-only.')
  isArchived!: boolean;

  @Computed(() => Boolean, 'Whether the repository is a template.')
  isTemplate!: boolean;

  @Computed(() => Boolean, 'Whether the repository is a fork.')
  isFork!: boolean;

  @Computed(() => String, 'Name of the default branch.')
  defaultBranch!: string;

  @Computed(() => [String], 'Names of the topics.')
  topics!: string[];

  @Computed(() => Int, 'Size of all objects ever stored, before compression; kilobytes.')
  diskUsage!: number;

  @Computed(() => DateTime, 'Time of creation.')
  createdAt!: string;

  @Computed(() => DateTime, 'Time of the last change of the repository or its settings.')
  updatedAt!: string;

  @Computed(() => DateTime, 'Time of the last push; of the creation for none.')
  pushedOrCreatedAt!: string;

  @Computed(() => Int, 'Number of stars.')
  stargazerCount!: number;

  @Computed(() => Int, 'Number of direct forks, whether you can see them or not.')
  forkCount!: number;
}
