import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, InputType, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { optionalField } from '../vocabulary/optional-field.ts';

const refPatterns = 'Patterns of full ref names, or `~ALL`, `~DEFAULT_BRANCH`; at most 200.';
const namePatterns = 'Patterns of names, or `~ALL`; at most 200.';

@ObjectType({ description: 'Condition on the name of a ref.', simpleResolvers: true })
export class RefNameConditionTarget {
  @Computed(() => [String], `One of them must match. ${refPatterns}`) include!: readonly string[];
  @Computed(() => [String], `None of them may match. ${refPatterns}`) exclude!: readonly string[];
}

@ObjectType({ description: 'Condition on the name of a repository.', simpleResolvers: true })
export class RepositoryNameConditionTarget {
  @Computed(() => [String], `One of them must match. ${namePatterns}`) include!: readonly string[];
  @Computed(() => [String], `None of them may match. ${namePatterns}`) exclude!: readonly string[];
  @Computed(() => Boolean, 'Whether the repositories cannot be renamed: false, as no ruleset does that.')
  protected!: boolean;
}

@ObjectType({ description: 'Condition that lists repositories.', simpleResolvers: true })
export class RepositoryIdConditionTarget {
  @Computed(() => [ID], 'Global ids of the repositories, at most 200.') repositoryIds!: readonly string[];
  @Computed(() => [GraphQLSafeInt], 'Numbers of the repositories.') repositoryDatabaseIds!: readonly number[];
}

@ObjectType({ description: 'Refs, and for an organization repositories, of a ruleset.', simpleResolvers: true })
export class RepositoryRuleConditions {
  @Computed(() => RefNameConditionTarget, 'Refs; null for none.', { null: true })
  refName!: RefNameConditionTarget | null;
  @Computed(() => RepositoryNameConditionTarget, 'Repositories by name; null where it is not by name.', { null: true })
  repositoryName!: RepositoryNameConditionTarget | null;
  @Computed(() => RepositoryIdConditionTarget, 'Repositories by id; null where it is not by id.', { null: true })
  repositoryId!: RepositoryIdConditionTarget | null;
}

@InputType({ description: 'Condition on the name of a ref.' })
export class RefNameConditionTargetInput {
  @optionalField(() => [String], `One of them must match. ${refPatterns}`) include?: string[] | null;
  @optionalField(() => [String], `None of them may match. ${refPatterns}`) exclude?: string[] | null;
}

@InputType({ description: 'Condition on the name of a repository.' })
export class RepositoryNameConditionTargetInput {
  @optionalField(() => [String], `One of them must match. ${namePatterns}`) include?: string[] | null;
  @optionalField(() => [String], `None of them may match. ${namePatterns}`) exclude?: string[] | null;
  @optionalField(() => Boolean, 'Whether the repositories cannot be renamed; true is not supported.')
  protected?: boolean | null;
}

@InputType({ description: 'Condition that lists repositories.' })
export class RepositoryIdConditionTargetInput {
  @optionalField(() => [ID], 'Global ids of the repositories, at most 200.') repositoryIds?: string[] | null;
  @optionalField(() => [GraphQLSafeInt], 'Numbers of the repositories, in the place of their ids.')
  repositoryDatabaseIds?: number[] | null;
}

@InputType({ description: 'Property of a repository and its values.' })
export class PropertyTargetDefinitionInput {
  @optionalField(() => String, 'Name of the property.') name?: string | null;
  @optionalField(() => [String], 'Values, one of which must be that of the property.') propertyValues?: string[] | null;
  @optionalField(() => String, 'Source of the property.') source?: string | null;
}

@InputType({ description: 'Condition on properties of a repository, which is not supported.' })
export class RepositoryPropertyConditionTargetInput {
  @optionalField(() => [PropertyTargetDefinitionInput], 'Properties that must match.')
  include?: PropertyTargetDefinitionInput[] | null;
  @optionalField(() => [PropertyTargetDefinitionInput], 'Properties that must not match.')
  exclude?: PropertyTargetDefinitionInput[] | null;
}

@InputType({ description: 'Refs of a ruleset; for an organization also either the names or the ids of repositories.' })
export class RepositoryRuleConditionsInput {
  @optionalField(() => RefNameConditionTargetInput, 'Names of the refs that it applies to.')
  refName?: RefNameConditionTargetInput | null;
  @optionalField(() => RepositoryNameConditionTargetInput, 'Repositories by name.')
  repositoryName?: RepositoryNameConditionTargetInput | null;
  @optionalField(() => RepositoryPropertyConditionTargetInput, 'Repositories by property, which is not supported.')
  repositoryProperty?: RepositoryPropertyConditionTargetInput | null;
  @optionalField(() => RepositoryIdConditionTargetInput, 'Repositories by id.')
  repositoryId?: RepositoryIdConditionTargetInput | null;
}
