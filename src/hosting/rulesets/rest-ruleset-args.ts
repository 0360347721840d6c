import { ArgsType, Field } from 'type-graphql';
import {
  RulesetEnforcement,
  type RulesetEnforcementValue,
  RulesetTarget,
  type RulesetTargetValue,
} from '../../../schema/hosting/ruleset.ts';
import {
  type JsonObject,
  RulesetBypassActor,
  RulesetConditions,
  RulesetRule,
} from '../../../schema/hosting/ruleset-documents.ts';

/** Unknown target names match no ruleset. */
export const targetsDescription = 'Targets to include: branch, tag or push; all when null.';

@ArgsType()
export class RulesetFilterArgs {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: true,
    description: 'Whether to include rulesets of the organization that owns the repository.',
  })
  includeParents?: boolean | null;

  @Field(() => [String], { nullable: true, description: targetsDescription })
  targets?: string[] | null;
}

@ArgsType()
class RulesetPartsArgs {
  @Field(() => RulesetTarget, { nullable: true, description: 'Target of the ruleset; branch by default.' })
  target?: RulesetTargetValue | null;
  @Field(() => [RulesetBypassActor], {
    nullable: true,
    description: 'Actors that may bypass the ruleset, at most 100.',
  })
  bypassActors?: JsonObject[] | null;
  @Field(() => RulesetConditions, { nullable: true, description: 'Refs and repositories that the ruleset applies to.' })
  conditions?: JsonObject | null;
  @Field(() => [RulesetRule], { nullable: true, description: 'Rules, at most 50.' }) rules?: JsonObject[] | null;
}

@ArgsType()
export class NewRulesetArgs extends RulesetPartsArgs {
  @Field(() => String, { description: 'Name of the ruleset, at most 100 characters.' }) rulesetName!: string;
  @Field(() => RulesetEnforcement, { description: 'Whether violations are rejected, only recorded, or ignored.' })
  enforcement!: RulesetEnforcementValue;
}

@ArgsType()
export class RulesetChangeArgs extends RulesetPartsArgs {
  @Field(() => String, { nullable: true, description: 'Name of the ruleset, at most 100 characters.' }) rulesetName?:
    | string
    | null;
  @Field(() => RulesetEnforcement, {
    nullable: true,
    description: 'Whether violations are rejected, only recorded, or ignored.',
  })
  enforcement?: RulesetEnforcementValue | null;
}
