import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Bool, Bytes, Choice, Computed, Json, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { App } from './app.ts';
import { Repository } from './repository.ts';

export const RuleSuiteResult = { PASS: 'pass', FAIL: 'fail', BYPASS: 'bypass' } as const;
export type RuleSuiteResultValue = (typeof RuleSuiteResult)[keyof typeof RuleSuiteResult];
registerEnumType(RuleSuiteResult, {
  name: 'RuleSuiteResult',
  description: 'Whether a push kept to the rules, broke them and was refused, or broke them and might.',
});

export const RuleSuiteResultFilter = { ...RuleSuiteResult, ALL: 'all' } as const;
export type RuleSuiteResultFilterValue = RuleSuiteResultValue | 'all';
registerEnumType(RuleSuiteResultFilter, { name: 'RuleSuiteResultFilter', description: 'Which results are wanted.' });

export const RuleSuitePeriod = { HOUR: 'hour', DAY: 'day', WEEK: 'week', MONTH: 'month' } as const;
export type RuleSuitePeriodValue = (typeof RuleSuitePeriod)[keyof typeof RuleSuitePeriod];
registerEnumType(RuleSuitePeriod, {
  name: 'RuleSuitePeriod',
  description: 'How far back, from this moment on: 1 hour, 24 hours, 7 days or 30 days.',
});

export const RuleSuiteEvaluateStatus = { ALL: 'all', ACTIVE: 'active', EVALUATE: 'evaluate' } as const;
export type RuleSuiteEvaluateStatusValue = (typeof RuleSuiteEvaluateStatus)[keyof typeof RuleSuiteEvaluateStatus];
registerEnumType(RuleSuiteEvaluateStatus, {
  name: 'RuleSuiteEvaluateStatus',
  description: 'All suites, those in which an active rule was asked, or those in which one was only evaluated.',
});

@ObjectType({ description: 'Where a rule came from.', simpleResolvers: true })
export class RuleSource {
  @Computed(() => String, '`ruleset`.')
  type!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the ruleset.', { null: true })
  id!: number | null;

  @Computed(() => String, 'What the ruleset was called then.', { null: true })
  name!: string | null;
}

@ObjectType({ description: 'What one rule said about a push.', simpleResolvers: true })
export class RuleEvaluation {
  @Computed(() => RuleSource, 'Where the rule came from.')
  ruleSource!: RuleSource;

  @Computed(() => String, '`active` or `evaluate`, as it was then; `deleted ruleset` once the ruleset is gone.')
  enforcement!: string;

  @Computed(() => String, '`pass` or `fail`.')
  result!: string;

  @Computed(() => String, 'Type of the rule.')
  ruleType!: string;

  @Computed(() => String, 'What broke it; null where nothing did.', { null: true })
  details!: string | null;
}

@Noun('rule_suite', 'What the rules said about one ref of one push, also where the push was refused.')
@Index<RuleSuite>('rule_suite_by_owner', ['ownerId', 'pushedAt desc', 'id desc'])
@Index<RuleSuite>('rule_suite_by_repository', ['repositoryId', 'pushedAt desc', 'id desc'])
@Check<RuleSuite>('rule_suite_after_oid_check', c => `octet_length(${c.afterOid}) = 20`)
@Check<RuleSuite>('rule_suite_before_oid_check', c => `octet_length(${c.beforeOid}) = 20`)
export class RuleSuite {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the suite.')
  databaseId!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  ownerId!: number;

  @Owner(() => App, { onDelete: 'set null', null: true })
  appId!: number | null;

  @Owner(() => Account, {
    onDelete: 'set null',
    null: true,
    about: 'Number of the user who pushed; null for apps and for the installation itself.',
  })
  actorId!: number | null;

  @Computed(() => String, 'Login of who pushed; of an app its slug and `[bot]`; null for the installation itself.', {
    null: true,
  })
  actorName!: string | null;

  @Computed(() => String, 'Where the ref stood: 40 hex digits, zeros where it was made.')
  beforeSha!: string;

  @Computed(() => String, 'Where it was to go: 40 hex digits, zeros where it was to be deleted.')
  afterSha!: string;

  @Text({ about: 'Full name of the ref.' })
  ref!: string;

  @Owner(() => Repository, { onDelete: 'cascade', about: 'Number of the repository.' })
  repositoryId!: number;

  @Computed(() => String, 'Name of the repository.')
  repositoryName!: string;

  @Bytes({ hidden: true, null: true })
  beforeOid!: Buffer | null;

  @Bytes({ hidden: true, null: true })
  afterOid!: Buffer | null;

  @Moment({ about: 'When it was pushed.' })
  pushedAt!: string;

  @Choice(() => RuleSuiteResult, { about: 'The outcome by the active rules.' })
  result!: RuleSuiteResultValue;

  @Choice(() => RuleSuiteResult, {
    about: 'The outcome if the rules that were only evaluated had been active too; null where none was.',
    null: true,
  })
  evaluationResult!: RuleSuiteResultValue | null;

  /** Whether an active rule was asked. */
  @Bool({ hidden: true })
  isActive!: boolean;

  @Json(() => [RuleEvaluation], { hidden: true })
  evaluations!: unknown;
}

export const RuleSuitePage = pageOf('RuleSuitePage', () => RuleSuite, 'A page of rule suites.');
