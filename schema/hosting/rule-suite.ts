import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType, registerEnumType } from 'type-graphql';
import { Bool, Bytes, Choice, Computed, Json, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { App } from './app.ts';
import { Repository } from './repository.ts';
import { RepositoryRuleType, type RepositoryRuleTypeValue } from './rule.ts';
import { RuleEnforcement, type RulesetEnforcementValue } from './ruleset.ts';

export const RuleSuiteResult = { PASS: 'pass', FAIL: 'fail', BYPASS: 'bypass' } as const;
export type RuleSuiteResultValue = (typeof RuleSuiteResult)[keyof typeof RuleSuiteResult];
registerEnumType(RuleSuiteResult, {
  name: 'RuleSuiteResult',
  description: 'Result of a push: it followed the rules, was refused, or violated them with a bypass.',
});

export const RuleSuiteResultFilter = { ...RuleSuiteResult, ALL: 'all' } as const;
export type RuleSuiteResultFilterValue = RuleSuiteResultValue | 'all';
registerEnumType(RuleSuiteResultFilter, { name: 'RuleSuiteResultFilter', description: 'Filter by result.' });

export const RuleSuitePeriod = { HOUR: 'hour', DAY: 'day', WEEK: 'week', MONTH: 'month' } as const;
export type RuleSuitePeriodValue = (typeof RuleSuitePeriod)[keyof typeof RuleSuitePeriod];
registerEnumType(RuleSuitePeriod, {
  name: 'RuleSuitePeriod',
  description: 'Period up to now: 1 hour, 24 hours, 7 days or 30 days.',
});

export const RuleSuiteEvaluateStatus = { ALL: 'all', ACTIVE: 'active', EVALUATE: 'evaluate' } as const;
export type RuleSuiteEvaluateStatusValue = (typeof RuleSuiteEvaluateStatus)[keyof typeof RuleSuiteEvaluateStatus];
registerEnumType(RuleSuiteEvaluateStatus, {
  name: 'RuleSuiteEvaluateStatus',
  description: 'Filter by enforcement: all suites, those with an active rule, or those with a rule in evaluate mode.',
});

export const RuleEvaluationResult = { PASS: 'pass', FAIL: 'fail' } as const;
export type RuleEvaluationResultValue = (typeof RuleEvaluationResult)[keyof typeof RuleEvaluationResult];
registerEnumType(RuleEvaluationResult, {
  name: 'RuleEvaluationResult',
  description: 'Result of one rule: it was followed or violated.',
});

export const RuleSourceKind = { RULESET: 'ruleset', PROTECTED_BRANCH: 'protected_branch' } as const;
export type RuleSourceKindValue = (typeof RuleSourceKind)[keyof typeof RuleSourceKind];
registerEnumType(RuleSourceKind, {
  name: 'RuleSourceKind',
  description: 'Kind of what a rule of a push came from: a ruleset, or the protection of the branch.',
});

@ObjectType({
  description: 'Ruleset or protected branch of a rule at the time of a push. It may be deleted.',
  simpleResolvers: true,
})
export class RuleEvaluationSource {
  @Computed(() => RuleSourceKind, 'Kind of the source of the rule.')
  kind!: RuleSourceKindValue;

  @Computed(() => GraphQLSafeInt, 'Number of the ruleset; null for a protected branch.', { null: true })
  databaseId!: number | null;

  @Computed(() => String, 'Name of the ruleset at the time of the push; null for a protected branch.', { null: true })
  name!: string | null;
}

@ObjectType({ description: 'Result of one rule for a push.', simpleResolvers: true })
export class RuleEvaluation {
  @Computed(() => RuleEvaluationSource, 'Ruleset or protected branch that the rule came from.')
  source!: RuleEvaluationSource;

  @Computed(() => RuleEnforcement, 'Enforcement at the time of the push; null if the ruleset has been deleted since.', {
    null: true,
  })
  enforcementUnlessDeleted!: RulesetEnforcementValue | null;

  @Computed(() => RuleEnforcement, 'Enforcement at the time of the push.')
  enforcement!: RulesetEnforcementValue;

  @Computed(() => RuleEvaluationResult, 'Result of the evaluation.')
  result!: RuleEvaluationResultValue;

  @Computed(() => RepositoryRuleType, 'Type of the rule.')
  ruleType!: RepositoryRuleTypeValue;

  @Computed(() => String, 'Name of the ruleset at the time of the push, or of the protected branch.')
  rulesetName!: string;

  @Computed(() => String, 'Description of the violation; null for none.', { null: true })
  details!: string | null;
}

@Noun('rule_suite', 'Result of all rules for one ref of a push, also of a refused push.')
@Index<RuleSuite>('rule_suite_by_time', ['pushedAt'], { using: 'brin' })
@Index<RuleSuite>('rule_suite_by_actor', ['actorId'], { where: c => `${c.actorId} is not null` })
@Index<RuleSuite>('rule_suite_by_app', ['appId'], { where: c => `${c.appId} is not null` })
@Index<RuleSuite>('rule_suite_by_owner', ['ownerId', 'pushedAt desc', 'id desc'])
@Index<RuleSuite>('rule_suite_by_repository', ['repositoryId', 'pushedAt desc', 'id desc'])
@Check<RuleSuite>('rule_suite_after_oid_check', c => `octet_length(${c.afterOid}) = 20`)
@Check<RuleSuite>('rule_suite_before_oid_check', c => `octet_length(${c.beforeOid}) = 20`)
@Retained<RuleSuite>({ days: 365, since: 'pushedAt', setting: 'RULE_SUITE_RETENTION_DAYS' })
export class RuleSuite {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  ownerId!: number;

  @Owner(() => App, { onDelete: 'set null', null: true })
  appId!: number | null;

  @Owner(() => Account, { onDelete: 'set null', null: true })
  actorId!: number | null;

  @Computed(
    () => GraphQLSafeInt,
    'Number of the account that pushed, for an app of its bot; null for the installation itself.',
    { null: true },
  )
  actorDatabaseId!: number | null;

  @Computed(() => String, 'Login of the pusher; for an app the slug and `[bot]`; null for the installation itself.', {
    null: true,
  })
  actorLogin!: string | null;

  @Text({ about: 'Full ref name.' })
  ref!: string;

  @Owner(() => Repository, { onDelete: 'cascade' })
  repositoryId!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the repository.')
  repositoryDatabaseId!: number;

  @Computed(() => String, 'Name of the repository.')
  repositoryName!: string;

  @Bytes({ hidden: true, null: true })
  beforeOid!: Buffer | null;

  @Bytes({ hidden: true, null: true })
  afterOid!: Buffer | null;

  @Moment({ about: 'Time of the evaluation of the push.' })
  pushedAt!: string;

  @Choice(() => RuleSuiteResult, { about: 'Result of the active rules.' })
  result!: RuleSuiteResultValue;

  @Choice(() => RuleSuiteResult, {
    about: 'Result if the rules in evaluate mode had been active too; null without such rules.',
    null: true,
  })
  evaluationResult!: RuleSuiteResultValue | null;

  /** Whether an active rule was evaluated. */
  @Bool({ hidden: true })
  isActive!: boolean;

  @Json(() => [RuleEvaluation], { hidden: true })
  evaluations!: unknown;
}

@ObjectType({ description: 'Number of results of one rule type of a ruleset in a period.', simpleResolvers: true })
export class RuleOutcome {
  @Computed(() => RepositoryRuleType, 'Type of the rules.')
  ruleType!: RepositoryRuleTypeValue;

  @Computed(() => String, 'Name of the ruleset at the time of the last push, or of the protected branch.')
  rulesetName!: string;

  @Computed(() => Int, 'Number of refs that followed the rule.')
  passCount!: number;

  @Computed(() => Int, 'Number of refs that violated the rule, without those of `bypassCount`.')
  failCount!: number;

  @Computed(() => Int, 'Number of refs that violated the rule while it was active, pushed with a bypass.')
  bypassCount!: number;
}

export const RuleSuiteConnection = connectionOf('RuleSuite', () => RuleSuite, 'rule suites');
