import { ArgsType, Field } from 'type-graphql';
import { RepositoryVisibility } from '../../../schema/hosting/repository-filters.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RepositoryArgs } from './repository-args.ts';

@ArgsType()
export class NewRepositoryArgs {
  @optionalField(() => String, 'Login of the organization that owns it; the caller by default.')
  organization?: string | null;
  @Field(() => String, { description: 'Name.' }) name!: string;
  @optionalField(() => String, 'Description, at most 1,000 characters.') description?: string | null;
  @optionalField(() => String, 'URL of the homepage.') homepageUrl?: string | null;
  @optionalField(() => Boolean, 'Whether it is private; public by default.') isPrivate?: boolean | null;
  @optionalField(() => RepositoryVisibility, 'Visibility; not `INTERNAL`. It takes precedence.')
  visibility?: RepositoryVisibility | null;
  @optionalField(() => Boolean, 'Whether it is a template.') isTemplate?: boolean | null;
  @optionalField(() => Boolean, 'Whether it starts with a commit of a README.') isInitialized?: boolean | null;
}

@ArgsType()
export class RepositoryChangeArgs extends RepositoryArgs {
  @optionalField(() => String, 'New name.') newName?: string | null;
  @optionalField(() => String, 'Description; empty or null for none.') description?: string | null;
  @optionalField(() => String, 'URL of the homepage; empty or null for none.') homepageUrl?: string | null;
  @optionalField(() => Boolean, 'Whether it is private.') isPrivate?: boolean | null;
  @optionalField(() => RepositoryVisibility, 'Visibility; not `INTERNAL`. It takes precedence.')
  visibility?: RepositoryVisibility | null;
  @optionalField(() => Boolean, 'Whether it is a template.') isTemplate?: boolean | null;
  @optionalField(() => String, 'Default branch, which must exist.') defaultBranch?: string | null;
  @optionalField(() => Boolean, 'Whether it is archived, that is read-only.') isArchived?: boolean | null;
}

@ArgsType()
export class NewForkArgs extends RepositoryArgs {
  @optionalField(() => String, 'Login of the organization that owns the fork; the caller by default.')
  organization?: string | null;
  @optionalField(() => String, 'Name of the fork; that of the repository by default.') forkName?: string | null;
}

@ArgsType()
export class TemplateCopyArgs extends RepositoryArgs {
  @optionalField(() => String, 'Login of the owner of the new repository; the caller by default.')
  newOwner?: string | null;
  @Field(() => String, { description: 'Name of the new repository.' }) newName!: string;
  @optionalField(() => String, 'Description, at most 1,000 characters.') description?: string | null;
  @optionalField(() => Boolean, 'Whether all branches are copied; by default the default branch is.')
  includeAllBranches?: boolean | null;
  @optionalField(() => Boolean, 'Whether it is private; public by default.') isPrivate?: boolean | null;
}
