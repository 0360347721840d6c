import { Field, ID, InputType } from 'type-graphql';
import { OneOf } from '../vocabulary/one-of.ts';
import { optionalField } from '../vocabulary/optional-field.ts';

@InputType({ description: 'Name of a repository and login of its owner, both case-insensitive.' })
export class RepositoryName {
  @Field(() => String, { description: 'Login of the owner.' }) owner!: string;
  @Field(() => String, { description: 'Name of the repository.' }) name!: string;
}

/** Of mutations that GitHub's schema does not have; those that it has take `repositoryId`. */
@OneOf()
@InputType({ description: 'Reference to a repository: its global id, or its name.' })
export class RepositoryRef {
  @optionalField(() => ID, 'Global id, as `node(id:)` takes it.') id?: string | null;
  @optionalField(() => RepositoryName, 'Name of the repository and login of its owner.') named?: RepositoryName | null;
}

/** What inputs of mutations that GitHub's schema has begin with. */
@InputType({ description: 'Repository by its global id, or by a reference.' })
export abstract class RepositoryInput {
  @optionalField(() => ID, 'Global id of the repository.') repositoryId?: string | null;
  @optionalField(() => RepositoryRef, 'Repository, in place of `repositoryId`.') repository?: RepositoryRef | null;
}
