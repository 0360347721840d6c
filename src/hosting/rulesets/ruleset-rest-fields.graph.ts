import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import {
  RepositoryRuleset,
  RulesetEnforcement,
  type RulesetEnforcementValue,
  RulesetLinks,
  RulesetTarget,
  type RulesetTargetValue,
} from '../../../schema/hosting/ruleset.ts';
import { RulesetBypassActor, RulesetConditions, RulesetRule } from '../../../schema/hosting/ruleset-documents.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { BypassActor } from '../rules/bypass.ts';
import type { Conditions } from '../rules/conditions.ts';
import type { Rule } from '../rules/rule.ts';
import { rulesetLinks } from './ruleset-event.ts';
import { isEditable } from './ruleset-fields.graph.ts';
import type { RulesetRow } from './rulesets.queries.ts';

/** The documents as stored, and enums under the names of the REST contract. */
@Resolver(() => RepositoryRuleset)
export class RulesetRestFields {
  @RestOnly()
  @FieldResolver(() => RulesetTarget, { description: 'Target.' })
  targetName(@Root() { target }: RulesetRow): RulesetTargetValue {
    return target;
  }

  @RestOnly()
  @FieldResolver(() => RulesetEnforcement, { description: 'Enforcement.' })
  enforcementName(@Root() { enforcement }: RulesetRow): RulesetEnforcementValue {
    return enforcement;
  }

  @RestOnly()
  @FieldResolver(() => String, { description: 'Type of the source: `Repository` or `Organization`.' })
  sourceType(@Root() { organizationId }: RulesetRow): string {
    return organizationId === null ? 'Repository' : 'Organization';
  }

  @RestOnly()
  @FieldResolver(() => String, { description: 'Full name of the repository, or login of the organization.' })
  sourceName(@Root() { sourceName }: RulesetRow): string {
    return sourceName;
  }

  @RestOnly()
  @FieldResolver(() => RulesetLinks, { description: 'Links.' })
  links(@Root() row: RulesetRow, @Ctx() context: Context): RulesetLinks {
    return rulesetLinks(row, context);
  }

  @RestOnly()
  @FieldResolver(() => RulesetConditions, { nullable: true, description: 'Conditions as stored; null for none.' })
  conditionsDocument(@Root() { conditions }: RulesetRow): Conditions | null {
    return conditions;
  }

  @RestOnly()
  @FieldResolver(() => [RulesetRule], { description: 'Rules as stored.' })
  rulesDocument(@Root() { rules }: RulesetRow): Rule[] {
    return rules;
  }

  @RestOnly()
  @FieldResolver(() => [RulesetBypassActor], {
    nullable: true,
    description: 'Bypass actors as stored; null for callers who cannot edit the ruleset.',
  })
  async bypassActorsDocument(@Root() row: RulesetRow, @Ctx() context: Context): Promise<BypassActor[] | null> {
    return (await isEditable(context, row)) ? row.bypassActors : null;
  }
}
