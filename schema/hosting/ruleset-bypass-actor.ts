import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { optionalField } from '../vocabulary/optional-field.ts';
import { User } from './account.ts';
import { App } from './app.ts';

export const RepositoryRulesetBypassActorBypassMode = {
  ALWAYS: 'always',
  PULL_REQUEST: 'pull_request',
  EXEMPT: 'exempt',
} as const;
export type BypassModeValue =
  (typeof RepositoryRulesetBypassActorBypassMode)[keyof typeof RepositoryRulesetBypassActorBypassMode];
registerEnumType(RepositoryRulesetBypassActorBypassMode, {
  name: 'RepositoryRulesetBypassActorBypassMode',
  description: 'When an actor may bypass: always, for pull requests only, or exempt, so that no rule is evaluated.',
});

export const RulesetBypassActorType = {
  APP: 'Integration',
  ORGANIZATION_ADMIN: 'OrganizationAdmin',
  REPOSITORY_ROLE: 'RepositoryRole',
  TEAM: 'Team',
  DEPLOY_KEY: 'DeployKey',
  USER: 'User',
} as const;
registerEnumType(RulesetBypassActorType, {
  name: 'RulesetBypassActorType',
  description: 'Type of an actor that may bypass a ruleset.',
  valuesConfig: {
    ORGANIZATION_ADMIN: { description: 'Administrators of the organization.' },
    REPOSITORY_ROLE: { description: 'Users with a role in the repository, or with a higher one.' },
  },
});

export const BypassActor = createUnionType({
  name: 'BypassActor',
  description: 'App or user that may bypass a ruleset.',
  types: () => [App, User] as const,
});

@ObjectType({ description: 'Actor that may bypass a ruleset, and when.', simpleResolvers: true })
export class RepositoryRulesetBypassActor {
  @Computed(() => RepositoryRulesetBypassActorBypassMode, 'When the actor may bypass the ruleset.')
  bypassMode!: BypassModeValue;
  @Computed(() => RulesetBypassActorType, 'Type of the actor.')
  actorType!: (typeof RulesetBypassActorType)[keyof typeof RulesetBypassActorType];
  @Computed(() => GraphQLSafeInt, 'Number of the app, the user or the role; null for administrators.', { null: true })
  actorDatabaseId!: number | null;
  @Computed(() => Boolean, 'Whether it stands for the administrators of the organization.')
  organizationAdmin!: boolean;
  @Computed(() => Int, 'Least role in the repository: 4 write, 2 maintain, 5 admin; null for other actors.', {
    null: true,
  })
  repositoryRoleDatabaseId!: number | null;
  @Computed(() => String, 'Name of the least role in the repository; null for other actors.', { null: true })
  repositoryRoleName!: string | null;
}

export const RepositoryRulesetBypassActorConnection = connectionOf(
  'RepositoryRulesetBypassActor',
  () => RepositoryRulesetBypassActor,
  'bypass actors',
);

@InputType({ description: 'Actor that may bypass a ruleset: one field beside the mode, or its type and number.' })
export class RepositoryRulesetBypassActorInput {
  @optionalField(() => ID, 'App or user.') actorId?: string | null;
  @optionalField(() => RulesetBypassActorType, 'Type of the actor, beside its number.')
  actorType?: (typeof RulesetBypassActorType)[keyof typeof RulesetBypassActorType] | null;
  @optionalField(() => GraphQLSafeInt, 'Number of the actor, where it has one.') actorDatabaseId?: number | null;
  @optionalField(
    () => RepositoryRulesetBypassActorBypassMode,
    'When the actor may bypass the ruleset; always by default.',
  )
  bypassMode?: BypassModeValue | null;
  @optionalField(() => Boolean, 'True for deploy keys, which are not supported.') deployKey?: boolean | null;
  @optionalField(() => Boolean, 'True for owners of the enterprise, which are not supported.')
  enterpriseOwner?: boolean | null;
  @optionalField(() => Boolean, 'True for the administrators of the organization.') organizationAdmin?: boolean | null;
  @optionalField(() => Int, 'Least role in the repository: 4 write, 2 maintain, 5 admin.')
  repositoryRoleDatabaseId?: number | null;
}
