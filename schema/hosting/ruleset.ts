import { GraphQLSafeInt } from 'graphql-scalars';
import { ID, ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Json, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { Repository } from './repository.ts';
import {
  type JsonObject,
  RulesetBypassActor,
  RulesetConditions,
  RulesetParameters,
  RulesetRule,
} from './ruleset-documents.ts';

export const RulesetTarget = { BRANCH: 'branch', TAG: 'tag', PUSH: 'push', REPOSITORY: 'repository' } as const;
export type RulesetTargetValue = (typeof RulesetTarget)[keyof typeof RulesetTarget];
registerEnumType(RulesetTarget, {
  name: 'RulesetTarget',
  description: 'What a ruleset judges: branches, tags, or what is in any push. `repository` is not supported here.',
});

export const RulesetEnforcement = { ACTIVE: 'active', EVALUATE: 'evaluate', DISABLED: 'disabled' } as const;
export type RulesetEnforcementValue = (typeof RulesetEnforcement)[keyof typeof RulesetEnforcement];
registerEnumType(RulesetEnforcement, {
  name: 'RulesetEnforcement',
  description: 'Active refuses what breaks it; evaluate only notes it; disabled does nothing.',
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
  description: 'Whether the caller may bypass a ruleset; whoever is exempt is not judged by it at all.',
});

@ObjectType({ description: 'An address.', simpleResolvers: true })
export class RulesetLink {
  @Computed(() => String, 'The address.')
  href!: string;
}

@ObjectType({ description: 'Addresses of a ruleset.', simpleResolvers: true })
export class RulesetLinks {
  @Computed(() => RulesetLink, 'Itself in the REST API.')
  self!: RulesetLink;

  @Computed(() => RulesetLink, 'Its page.')
  html!: RulesetLink;
}

@Noun('ruleset', 'Rules that pushes to a repository, or to those of an organization, must keep to.')
@Index<Ruleset>('ruleset_name_in_organization', ['organizationId', c => `lower(${c.name})`], {
  unique: true,
  where: c => `${c.organizationId} is not null`,
})
@Index<Ruleset>('ruleset_name_in_repository', ['repositoryId', c => `lower(${c.name})`], {
  unique: true,
  where: c => `${c.repositoryId} is not null`,
})
@Check<Ruleset>('ruleset_source_check', c => `num_nonnulls(${c.organizationId}, ${c.repositoryId}) = 1`)
export class Ruleset {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the ruleset.')
  databaseId!: number;

  @Computed(() => ID, 'Identifier of the ruleset among all things there are.')
  nodeId!: string;

  @Owner(() => Account, { onDelete: 'cascade', null: true })
  organizationId!: number | null;

  @Owner(() => Repository, { onDelete: 'cascade', null: true })
  repositoryId!: number | null;

  @Text({ about: 'Its name among those of the same source.' })
  name!: string;

  @Choice(() => RulesetTarget, { about: 'What it judges.' })
  target!: RulesetTargetValue;

  @Computed(() => String, '`Repository` or `Organization`: whose it is.')
  sourceType!: string;

  @Computed(() => String, 'Full name of the repository, or login of the organization.')
  source!: string;

  @Choice(() => RulesetEnforcement, { about: 'Whether it refuses, notes or does nothing.' })
  enforcement!: RulesetEnforcementValue;

  @Json(() => RulesetConditions, { about: 'What it is about; null where nothing is named.', null: true })
  conditions!: JsonObject | null;

  @Json(() => [RulesetRule], { about: 'Its rules.', default: '[]' })
  rules!: JsonObject[];

  @Json(() => [RulesetBypassActor], { hidden: true, default: '[]' })
  bypassActors!: JsonObject[];

  @Computed(() => RulesetLinks, 'Its addresses.')
  links!: RulesetLinks;

  @Moment({ about: 'When it was made.' })
  createdAt!: string;

  @Moment({ about: 'When it last changed.' })
  updatedAt!: string;
}

export const RulesetPage = pageOf('RulesetPage', () => Ruleset, 'A page of rulesets.');

@ObjectType({ description: 'A rule that holds for a branch, and where it comes from.', simpleResolvers: true })
export class BranchRule {
  @Computed(() => String, 'Its type.')
  type!: string;

  @Computed(() => RulesetParameters, 'Its parameters; null where the type has none.', { null: true })
  parameters!: JsonObject | null;

  @Computed(() => String, '`Repository` or `Organization`.')
  sourceType!: string;

  @Computed(() => String, 'Full name of the repository, or login of the organization.')
  source!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the ruleset.')
  rulesetId!: number;
}

export const BranchRulePage = pageOf('BranchRulePage', () => BranchRule, 'A page of rules.');
