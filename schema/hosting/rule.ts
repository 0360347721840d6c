import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { optionalField } from '../vocabulary/optional-field.ts';
import { parameterTypes } from './rule-parameters.ts';
import { RulesetSourceKind, type RulesetSourceKindValue } from './ruleset.ts';

export const RepositoryRuleType = {
  BRANCH_NAME_PATTERN: 'branch_name_pattern',
  COMMITTER_EMAIL_PATTERN: 'committer_email_pattern',
  COMMIT_AUTHOR_EMAIL_PATTERN: 'commit_author_email_pattern',
  COMMIT_MESSAGE_PATTERN: 'commit_message_pattern',
  CREATION: 'creation',
  DELETION: 'deletion',
  FILE_EXTENSION_RESTRICTION: 'file_extension_restriction',
  FILE_PATH_RESTRICTION: 'file_path_restriction',
  MAX_FILE_PATH_LENGTH: 'max_file_path_length',
  MAX_FILE_SIZE: 'max_file_size',
  MERGE_QUEUE: 'merge_queue',
  NON_FAST_FORWARD: 'non_fast_forward',
  PULL_REQUEST: 'pull_request',
  REQUIRED_LINEAR_HISTORY: 'required_linear_history',
  REQUIRED_SIGNATURES: 'required_signatures',
  TAG_NAME_PATTERN: 'tag_name_pattern',
  UPDATE: 'update',
} as const;
export type RepositoryRuleTypeValue = (typeof RepositoryRuleType)[keyof typeof RepositoryRuleType];
registerEnumType(RepositoryRuleType, {
  name: 'RepositoryRuleType',
  description: 'Type of a rule. The guide to rules says what violates each.',
});

export const RuleParameters = createUnionType({
  name: 'RuleParameters',
  description: 'Parameters of a rule, by its type.',
  types: () => Object.values(parameterTypes).map(({ output }) => output),
});

@ObjectType({ description: 'Rule of a ruleset.', simpleResolvers: true })
export class RepositoryRule {
  @Computed(() => RepositoryRuleType, 'Type of the rule.')
  type!: RepositoryRuleTypeValue;

  @Computed(() => GraphQLSafeInt, 'Number of the ruleset.')
  rulesetDatabaseId!: number;

  @Computed(() => RulesetSourceKind, 'Kind of the source of the ruleset.')
  sourceKind!: RulesetSourceKindValue;

  @Computed(() => String, 'Source of the ruleset: full name of the repository, or login of the organization.')
  sourceName!: string;
}

export const RepositoryRuleConnection = connectionOf('RepositoryRule', () => RepositoryRule, 'rules');

/** Name of the field of `RuleParametersInput` for a rule type: `commitMessagePattern`. */
export const parametersField = (type: string): string =>
  type.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

@InputType({ description: 'Parameters of a rule: the one field that has the name of its type.' })
export class RuleParametersInput {}
for (const [type, { input }] of Object.entries(parameterTypes)) {
  const description = `Parameters of the type \`${type.toUpperCase()}\`.`;
  Field(() => input, { nullable: true, description })(RuleParametersInput.prototype, parametersField(type));
}

@InputType({ description: 'Rule to write.' })
export class RepositoryRuleInput {
  @optionalField(() => ID, 'Rule of the ruleset that this one replaces; of the same type.') id?: string | null;
  @Field(() => RepositoryRuleType, { description: 'Type of the rule, which decides on its parameters.' })
  type!: RepositoryRuleTypeValue;
  @optionalField(() => RuleParametersInput, 'Parameters; null for a type without.')
  parameters?: RuleParametersInput | null;
}
