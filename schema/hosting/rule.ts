import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { optionalField } from '../vocabulary/optional-field.ts';
import { parameterTypes } from './rule-parameters.ts';
import { RulesetSourceKind, type RulesetSourceKindValue } from './ruleset.ts';

export const RepositoryRuleType = {
  CREATION: 'creation',
  UPDATE: 'update',
  DELETION: 'deletion',
  REQUIRED_LINEAR_HISTORY: 'required_linear_history',
  REQUIRED_SIGNATURES: 'required_signatures',
  NON_FAST_FORWARD: 'non_fast_forward',
  PULL_REQUEST: 'pull_request',
  MERGE_QUEUE: 'merge_queue',
  COMMIT_MESSAGE_PATTERN: 'commit_message_pattern',
  COMMIT_AUTHOR_EMAIL_PATTERN: 'commit_author_email_pattern',
  COMMITTER_EMAIL_PATTERN: 'committer_email_pattern',
  BRANCH_NAME_PATTERN: 'branch_name_pattern',
  TAG_NAME_PATTERN: 'tag_name_pattern',
  FILE_PATH_RESTRICTION: 'file_path_restriction',
  MAX_FILE_PATH_LENGTH: 'max_file_path_length',
  FILE_EXTENSION_RESTRICTION: 'file_extension_restriction',
  MAX_FILE_SIZE: 'max_file_size',
  // Published types that are not supported here: a rule of them is refused by name.
  REQUIRED_STATUS_CHECKS: 'required_status_checks',
  REQUIRED_DEPLOYMENTS: 'required_deployments',
  WORKFLOWS: 'workflows',
  CODE_SCANNING: 'code_scanning',
  CODE_QUALITY: 'code_quality',
  LICENSE_COMPLIANCE_SCANNING: 'license_compliance_scanning',
  COPILOT_CODE_REVIEW: 'copilot_code_review',
} as const;
export type RepositoryRuleTypeValue = (typeof RepositoryRuleType)[keyof typeof RepositoryRuleType];
registerEnumType(RepositoryRuleType, {
  name: 'RepositoryRuleType',
  description: 'Type of a rule. The guide to rules says what violates each, and which are not supported.',
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
