import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import {
  type BranchRule,
  BranchRulePage,
  Ruleset,
  RulesetEnforcement,
  type RulesetEnforcementValue,
  RulesetPage,
  RulesetTarget,
  type RulesetTargetValue,
} from '../../../schema/hosting/ruleset.ts';
import {
  type JsonObject,
  RulesetBypassActor,
  RulesetConditions,
  RulesetRule,
} from '../../../schema/hosting/ruleset-documents.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { notFound } from '../../errors/errors.ts';
import { RulesetFilterArgs, targetsDescription } from './ruleset-fields.graph.ts';
import { type RulesetSource, requireOrganizationSource, requireRepositorySource } from './ruleset-source.ts';
import { type RulesetRow, rulesetOf, rulesetsOf, rulesOfBranch } from './rulesets.queries.ts';
import { createRuleset, deleteRuleset, updateRuleset } from './write-ruleset.ts';

const owner = () => Arg('owner', () => String, { description: 'Login of the owner.' });
const repositoryName = () => Arg('name', () => String, { description: 'Name of the repository.' });
const organization = () => Arg('organization', () => String, { description: 'Login of the organization.' });
const targetNames = () => Arg('targets', () => [String], { nullable: true, description: targetsDescription });
const rulesetId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the ruleset.' });

@ArgsType()
class RulesetPartsArgs {
  @Field(() => RulesetTarget, { nullable: true, description: 'What it judges; branches unless said otherwise.' })
  target?: RulesetTargetValue | null;
  @Field(() => [RulesetBypassActor], { nullable: true, description: 'Who may bypass it.' })
  bypassActors?: JsonObject[] | null;
  @Field(() => RulesetConditions, { nullable: true, description: 'What it is about.' }) conditions?: JsonObject | null;
  @Field(() => [RulesetRule], { nullable: true, description: 'Its rules.' }) rules?: JsonObject[] | null;
}

@ArgsType()
class NewRulesetArgs extends RulesetPartsArgs {
  @Field(() => String, { description: 'The name it shall have.' }) rulesetName!: string;
  @Field(() => RulesetEnforcement, { description: 'Whether it refuses, notes or does nothing.' })
  enforcement!: RulesetEnforcementValue;
}

@ArgsType()
class RulesetChangeArgs extends RulesetPartsArgs {
  @Field(() => String, { nullable: true, description: 'The name it shall have.' }) rulesetName?: string | null;
  @Field(() => RulesetEnforcement, { nullable: true, description: 'Whether it refuses, notes or does nothing.' })
  enforcement?: RulesetEnforcementValue | null;
}

/** What was given, under the names of the verb; what was left out stays so. */
function rulesetInput({ rulesetName, ...parts }: NewRulesetArgs | RulesetChangeArgs) {
  return { ...parts, ...(rulesetName === undefined ? {} : { name: rulesetName }) };
}

async function requireRuleset(context: Context, source: RulesetSource, id: number): Promise<RulesetRow> {
  const found = await rulesetOf(context, source, id);
  if (!found) throw notFound();
  return found;
}

@Resolver()
export class RulesetRoots {
  @Access('metadata:read')
  @Query(() => RulesetPage, { description: 'The rulesets of a repository, the oldest first.' })
  async repositoryRulesets(
    @owner() login: string,
    @repositoryName() name: string,
    @Args(() => RulesetFilterArgs) filters: RulesetFilterArgs,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<RulesetRow>> {
    const source = await requireRepositorySource(context, { owner: login, name }, 'metadata:read');
    return new Page(rulesetsOf(context, source, filters), args);
  }

  @Access('metadata:read')
  @Query(() => Ruleset, { nullable: true, description: 'One ruleset of a repository; null when there is none.' })
  async repositoryRuleset(
    @owner() login: string,
    @repositoryName() name: string,
    @rulesetId() id: number,
    @Arg('includesParents', () => Boolean, {
      nullable: true,
      defaultValue: true,
      description: 'Whether it may be one of the organization.',
    })
    includesParents: boolean | null,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    const source = await requireRepositorySource(context, { owner: login, name }, 'metadata:read');
    return rulesetOf(context, source, id, { includesParents });
  }

  @Access('metadata:read')
  @Query(() => BranchRulePage, {
    description: 'The active rules that hold for a branch, also one that is not there yet.',
  })
  async branchRules(
    @owner() login: string,
    @repositoryName() name: string,
    @Arg('branch', () => String, { description: 'Its short name: main.' }) branch: string,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<BranchRule>> {
    const source = await requireRepositorySource(context, { owner: login, name }, 'metadata:read');
    return new Page(rulesOfBranch(context, source.id, branch), args);
  }

  @Access('org-administration:write')
  @Query(() => RulesetPage, { description: 'The rulesets of an organization, the oldest first.' })
  async organizationRulesets(
    @organization() login: string,
    @targetNames() targets: string[] | null | undefined,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<RulesetRow>> {
    return new Page(
      rulesetsOf(context, await requireOrganizationSource(context, login), { targets: targets ?? null }),
      args,
    );
  }

  @Access('org-administration:write')
  @Query(() => Ruleset, { nullable: true, description: 'One ruleset of an organization; null when there is none.' })
  async organizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    return rulesetOf(context, await requireOrganizationSource(context, login), id);
  }

  @Access('administration:write')
  @Mutation(() => Ruleset, { description: 'Makes a ruleset of a repository. It holds for every push from then on.' })
  async createRepositoryRuleset(
    @owner() login: string,
    @repositoryName() name: string,
    @Args(() => NewRulesetArgs) args: NewRulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    const source = await requireRepositorySource(context, { owner: login, name }, 'administration:write');
    return requireRuleset(context, source, await createRuleset(context, source, rulesetInput(args)));
  }

  @Access('administration:write')
  @Mutation(() => Ruleset, { description: 'Changes what is given of a ruleset of a repository.' })
  async updateRepositoryRuleset(
    @owner() login: string,
    @repositoryName() name: string,
    @rulesetId() id: number,
    @Args(() => RulesetChangeArgs) args: RulesetChangeArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    const source = await requireRepositorySource(context, { owner: login, name }, 'administration:write');
    return requireRuleset(context, source, await updateRuleset(context, source, id, rulesetInput(args)));
  }

  @Access('administration:write')
  @Mutation(() => Boolean, { description: 'Takes a ruleset of a repository away.' })
  async deleteRepositoryRuleset(
    @owner() login: string,
    @repositoryName() name: string,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRuleset(
      context,
      await requireRepositorySource(context, { owner: login, name }, 'administration:write'),
      id,
    );
    return true;
  }

  @Access('org-administration:write')
  @Mutation(() => Ruleset, { description: 'Makes a ruleset of an organization. It holds for every push from then on.' })
  async createOrganizationRuleset(
    @organization() login: string,
    @Args(() => NewRulesetArgs) args: NewRulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    const source = await requireOrganizationSource(context, login);
    return requireRuleset(context, source, await createRuleset(context, source, rulesetInput(args)));
  }

  @Access('org-administration:write')
  @Mutation(() => Ruleset, { description: 'Changes what is given of a ruleset of an organization.' })
  async updateOrganizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Args(() => RulesetChangeArgs) args: RulesetChangeArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    const source = await requireOrganizationSource(context, login);
    return requireRuleset(context, source, await updateRuleset(context, source, id, rulesetInput(args)));
  }

  @Access('org-administration:write')
  @Mutation(() => Boolean, { description: 'Takes a ruleset of an organization away.' })
  async deleteOrganizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRuleset(context, await requireOrganizationSource(context, login), id);
    return true;
  }
}
