import { Field, ID, InputType } from 'type-graphql';
import { RepositoryPermission } from '../../../schema/hosting/collaborator.ts';
import { RepositoryVisibility } from '../../../schema/hosting/repository-filters.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { SubscriptionState } from '../../../schema/hosting/starrable.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import { lineLimits } from '../text-problems.ts';
import { topicLimits } from './replace-topics.ts';
import { repositoryNameLimits } from './repository-name.ts';

@InputType({ description: 'Input of `createRepository`.' })
export class CreateRepositoryInput {
  @Limits(repositoryNameLimits)
  @Field(() => String, { description: 'Name, 1 to 100 ASCII letters, digits, dots, hyphens and underscores.' })
  name!: string;
  @optionalField(() => RepositoryVisibility, 'Visibility; not `INTERNAL`. `PUBLIC` by default.')
  visibility?: RepositoryVisibility | null;
  @optionalField(() => ID, 'Owner, a user or an organization; you when absent.') ownerId?: string | null;
  @Limits(lineLimits.description)
  @optionalField(() => String, 'Description, at most 1,000 characters.')
  description?: string | null;
  @Limits(lineLimits.address)
  @optionalField(() => Uri, 'URL of the homepage; empty or null for none.')
  homepageUrl?: string | null;
  @optionalField(() => Boolean, 'Whether the repository starts with a commit of a README; false by default.')
  hasReadme?: boolean | null;
  @optionalField(() => Boolean, 'Whether the repository is a template; false by default.') template?: boolean | null;
  @optionalField(() => String, 'Name of the default branch; `main` by default.') defaultBranch?: string | null;
  @optionalField(() => ID, 'Team with access. There are no teams: a value is an error.') teamId?: string | null;
  /** Clients send true without being asked. */
  @optionalField(() => Boolean, 'Without effect: there are no issues.') hasIssuesEnabled?: boolean | null;
  @optionalField(() => Boolean, 'Without effect: there are no wikis.') hasWikiEnabled?: boolean | null;
}

@InputType({ description: 'Input of `updateRepository`. An absent field stays unchanged.' })
export class UpdateRepositoryInput {
  @Field(() => ID, { description: 'Repository to change.' }) repositoryId!: string;
  @Limits(repositoryNameLimits)
  @optionalField(() => String, 'New name. The old one redirects until another repository takes it.')
  name?: string | null;
  @Limits(lineLimits.description)
  @optionalField(() => String, 'Description, at most 1,000 characters; null or empty for none.')
  description?: string | null;
  @Limits(lineLimits.address)
  @optionalField(() => Uri, 'URL of the homepage; empty or null for none.')
  homepageUrl?: string | null;
  @optionalField(() => RepositoryVisibility, 'Visibility; not `INTERNAL`.') visibility?: RepositoryVisibility | null;
  @optionalField(() => Boolean, 'Whether the repository can be copied as a template.') template?: boolean | null;
  @optionalField(() => String, 'Name of the default branch, which must exist.') defaultBranch?: string | null;
  @optionalField(() => Boolean, 'Whether the repository is archived, that is read-only.') isArchived?: boolean | null;
}

@InputType({ description: 'Input of `updateTopics`.' })
export class UpdateTopicsInput {
  @Field(() => ID, { description: 'Repository to change.' }) repositoryId!: string;
  @Limits(topicLimits)
  @Field(() => [String], { description: 'Names of all topics, at most 20.' })
  topicNames!: string[];
}

@InputType({ description: 'Input of `deleteRepository`.' })
export class DeleteRepositoryInput {
  @Field(() => RepositoryRef, { description: 'Repository to delete.' }) repository!: RepositoryRef;
}

@InputType({ description: 'Input of `archiveRepository`.' })
export class ArchiveRepositoryInput {
  @Field(() => ID, { description: 'Repository to archive.' }) repositoryId!: string;
}

@InputType({ description: 'Input of `unarchiveRepository`.' })
export class UnarchiveRepositoryInput {
  @Field(() => ID, { description: 'Repository to unarchive.' }) repositoryId!: string;
}

@InputType({ description: 'Input of `forkRepository`.' })
export class ForkRepositoryInput {
  @Field(() => RepositoryRef, { description: 'Repository to fork.' }) repository!: RepositoryRef;
  @optionalField(() => ID, 'Owner of the fork, a user or an organization; you when absent.') ownerId?: string | null;
  @Limits(repositoryNameLimits)
  @optionalField(() => String, 'Name of the fork; that of the origin when absent.')
  name?: string | null;
}

@InputType({ description: 'Input of `cloneTemplateRepository`.' })
export class CloneTemplateRepositoryInput {
  @Field(() => ID, { description: 'Template to copy, by its global id.' }) repositoryId!: string;
  @Field(() => String, { description: 'Name of the new repository.' }) name!: string;
  @optionalField(() => ID, 'Owner of the new repository, a user or an organization; you when absent.')
  ownerId?: string | null;
  @Limits(lineLimits.description)
  @optionalField(() => String, 'Description, at most 1,000 characters.')
  description?: string | null;
  @optionalField(() => RepositoryVisibility, 'Visibility; not `INTERNAL`. `PUBLIC` by default.')
  visibility?: RepositoryVisibility | null;
  @optionalField(() => Boolean, 'Whether all branches are copied; by default the default branch is.')
  includeAllBranches?: boolean | null;
}

@InputType({ description: 'Input of `setCollaborator`.' })
export class SetCollaboratorInput {
  @Field(() => RepositoryRef, { description: 'Repository that the user gets access to.' }) repository!: RepositoryRef;
  @Field(() => ID, { description: 'Collaborator, or user to add or invite, by the global id.' }) userId!: string;
  @Field(() => RepositoryPermission, { description: 'Permission of the user.' }) permission!: RepositoryPermission;
}

@InputType({ description: 'Input of `removeCollaborator`.' })
export class RemoveCollaboratorInput {
  @Field(() => RepositoryRef, { description: 'Repository that the user loses access to.' }) repository!: RepositoryRef;
  @Field(() => ID, { description: 'Collaborator to remove, by the global id.' }) userId!: string;
}

@InputType({ description: 'Input of `addStar`.' })
export class AddStarInput {
  @Field(() => ID, { description: 'Repository to star.' }) starrableId!: string;
}

@InputType({ description: 'Input of `removeStar`.' })
export class RemoveStarInput {
  @Field(() => ID, { description: 'Repository to unstar.' }) starrableId!: string;
}

@InputType({ description: 'Input of `updateSubscription`.' })
export class UpdateSubscriptionInput {
  @Field(() => ID, { description: 'Repository to watch or to watch no longer.' }) subscribableId!: string;
  @Field(() => SubscriptionState, { description: 'Your subscription; not `IGNORED`.' }) state!: SubscriptionState;
}
