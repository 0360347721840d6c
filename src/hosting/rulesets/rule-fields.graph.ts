import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Ctx, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import { RepositoryRule, RuleParameters } from '../../../schema/hosting/rule.ts';
import { RepositoryRuleset } from '../../../schema/hosting/ruleset.ts';
import {
  BypassActor,
  type BypassModeValue,
  RepositoryRulesetBypassActor,
  RepositoryRulesetBypassActorBypassMode,
  RulesetBypassActorType,
} from '../../../schema/hosting/ruleset-bypass-actor.ts';
import type { Context } from '../../context/context.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { accountsByIds } from '../accounts/accounts.queries.ts';
import { installedAppKey, installedApps } from '../apps/apps.queries.ts';
import type { BypassActorRow, RuleRow } from './rule-rows.ts';
import { parametersOfRule } from './ruleset-documents.ts';
import { type RulesetRow, rulesetKey, rulesetsByKeys } from './rulesets.queries.ts';

@Resolver(() => RepositoryRule)
export class RuleFields {
  @FieldResolver(() => RuleParameters, { nullable: true, description: 'Parameters; null for a type without.' })
  parameters(@Root() { rule }: RuleRow): object | null {
    return parametersOfRule(rule);
  }

  @FieldResolver(() => RepositoryRuleset, { nullable: true, description: 'Ruleset that it belongs to.' })
  async repositoryRuleset(@Root() { ruleset }: RuleRow, @Ctx() context: Context): Promise<RulesetRow | null> {
    if (!('source' in ruleset)) return ruleset;
    return context.load(rulesetsByKeys, noSelection).load(rulesetKey(ruleset));
  }
}

const roleNames: ReadonlyMap<number, string> = new Map([
  [2, 'maintain'],
  [4, 'write'],
  [5, 'admin'],
]);

@Resolver(() => RepositoryRulesetBypassActor)
export class BypassActorFields {
  @FieldResolver(() => BypassActor, {
    nullable: true,
    description: 'App or user; null for other actors, and for an app that is not installed any more.',
  })
  async actor(
    @Root() { actor: { actor_type, actor_id }, ruleset }: BypassActorRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object | null> {
    if (actor_id === null) return null;
    if (actor_type === 'User') return context.load(accountsByIds, selectionOf(info)).load(actor_id);
    if (actor_type !== 'Integration') return null;
    const key = installedAppKey(ruleset.ownerId, actor_id);
    const app = await context.load(installedApps, selectionOf(info)).load(key);
    return app && { ...app, __typename: 'App' };
  }

  @FieldResolver(() => RepositoryRulesetBypassActorBypassMode)
  bypassMode(@Root() { actor }: BypassActorRow): BypassModeValue {
    return actor.bypass_mode;
  }

  @FieldResolver(() => RulesetBypassActorType)
  actorType(@Root() { actor }: BypassActorRow): BypassActorRow['actor']['actor_type'] {
    return actor.actor_type;
  }

  @FieldResolver(() => GraphQLSafeInt)
  actorDatabaseId(@Root() { actor }: BypassActorRow): number | null {
    return actor.actor_id;
  }

  @FieldResolver(() => Boolean)
  organizationAdmin(@Root() { actor }: BypassActorRow): boolean {
    return actor.actor_type === 'OrganizationAdmin';
  }

  @FieldResolver(() => Int)
  repositoryRoleDatabaseId(@Root() { actor }: BypassActorRow): number | null {
    return actor.actor_type === 'RepositoryRole' ? actor.actor_id : null;
  }

  @FieldResolver(() => String)
  repositoryRoleName(@Root() { actor }: BypassActorRow): string | null {
    return actor.actor_type === 'RepositoryRole' ? (roleNames.get(actor.actor_id ?? 0) ?? null) : null;
  }

  @FieldResolver(() => RepositoryRuleset, { nullable: true, description: 'Ruleset that it may bypass.' })
  repositoryRuleset(@Root() { ruleset }: BypassActorRow): RulesetRow {
    return ruleset;
  }
}
