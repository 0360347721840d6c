import { GraphQLJSONObject } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Json, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { Repository } from './repository.ts';

export const RepositoryRulesetTarget = {
  BRANCH: 'branch',
  TAG: 'tag',
  PUSH: 'push',
  REPOSITORY: 'repository',
} as const;
export type RulesetTargetValue = (typeof RepositoryRulesetTarget)[keyof typeof RepositoryRulesetTarget];
registerEnumType(RepositoryRulesetTarget, {
  name: 'RepositoryRulesetTarget',
  description: 'Target of a ruleset: branches, tags, or any push. `REPOSITORY` is not supported.',
});

export const RuleEnforcement = { ACTIVE: 'active', EVALUATE: 'evaluate', DISABLED: 'disabled' } as const;
export type RulesetEnforcementValue = (typeof RuleEnforcement)[keyof typeof RuleEnforcement];
registerEnumType(RuleEnforcement, {
  name: 'RuleEnforcement',
  description: 'Enforcement of a ruleset: active refuses violations, evaluate records them, disabled ignores them.',
});

export const RulesetSourceKind = { REPOSITORY: 'repository', ORGANIZATION: 'organization' } as const;
export type RulesetSourceKindValue = (typeof RulesetSourceKind)[keyof typeof RulesetSourceKind];
registerEnumType(RulesetSourceKind, {
  name: 'RulesetSourceKind',
  description: 'Kind of the source of a ruleset.',
});

export const RulesetBypass = {
  ALWAYS: 'always',
  PULL_REQUESTS_ONLY: 'pull_requests_only',
  NEVER: 'never',
  EXEMPT: 'exempt',
} as const;
export type RulesetBypassValue = (typeof RulesetBypass)[keyof typeof RulesetBypass];
registerEnumType(RulesetBypass, {
  name: 'RulesetBypass',
  description: 'Whether the caller may bypass a ruleset; exempt callers are not evaluated at all.',
});

@ObjectType({ description: 'Link to a page or to a resource of the API.', simpleResolvers: true })
export class RulesetLink {
  @Computed(() => String, 'URL of the link.')
  href!: string;
}

@ObjectType({ description: 'Links of a ruleset.', simpleResolvers: true })
export class RulesetLinks {
  @Computed(() => RulesetLink, 'URL of the ruleset in the API.')
  self!: RulesetLink;

  @Computed(() => RulesetLink, 'URL of the page.')
  html!: RulesetLink;
}

@Noun('ruleset', 'Ruleset for pushes to a repository or to the repositories of an organization.')
@Index<RepositoryRuleset>('ruleset_name_in_organization', ['organizationId', c => `lower(${c.name})`], {
  unique: true,
  where: c => `${c.organizationId} is not null`,
})
@Index<RepositoryRuleset>('ruleset_name_in_repository', ['repositoryId', c => `lower(${c.name})`], {
  unique: true,
  where: c => `${c.repositoryId} is not null`,
})
@Check<RepositoryRuleset>('ruleset_source_check', c => `num_nonnulls(${c.organizationId}, ${c.repositoryId}) = 1`)
@Retained<RepositoryRuleset>({ rows: 'until the ruleset is deleted' })
export class RepositoryRuleset {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Account, { onDelete: 'cascade', null: true })
  organizationId!: number | null;

  @Owner(() => Repository, { onDelete: 'cascade', null: true })
  repositoryId!: number | null;

  @Computed(() => RulesetSourceKind, 'Kind of the source.')
  sourceKind!: RulesetSourceKindValue;

  @Computed(() => String, 'Full name of the repository, or login of the organization.')
  sourceName!: string;

  @Text({ about: 'Name, unique within the source.' })
  name!: string;

  @Choice(() => RepositoryRulesetTarget, { about: 'Target of the ruleset.' })
  target!: RulesetTargetValue;

  @Choice(() => RuleEnforcement, { about: 'Enforcement of the ruleset.' })
  enforcement!: RulesetEnforcementValue;

  @Json(() => GraphQLJSONObject, { hidden: true, null: true })
  conditions!: object | null;

  @Json(() => [GraphQLJSONObject], { hidden: true, default: '[]' })
  rules!: object[];

  @Json(() => [GraphQLJSONObject], { hidden: true, default: '[]' })
  bypassActors!: object[];

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change.' })
  updatedAt!: string;
}

export const RepositoryRulesetConnection = connectionOf('RepositoryRuleset', () => RepositoryRuleset, 'rulesets');
