import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import {
  type BranchRule,
  BranchRuleConnection,
  Ruleset,
  RulesetConnection,
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
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { notFound } from '../../errors/errors.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { RulesetFilterArgs, targetsDescription } from './ruleset-fields.graph.ts';
import { type RulesetSource, requireOrganizationSource, requireRepositorySource } from './ruleset-source.ts';
import { type RulesetRow, rulesetOf, rulesetsOf, rulesOfBranch } from './rulesets.queries.ts';
import { createRuleset, deleteRuleset, updateRuleset } from './write-ruleset.ts';

const organization = () => Arg('organization', () => String, { description: 'Login of the organization.' });
const targetNames = () => Arg('targets', () => [String], { nullable: true, description: targetsDescription });
const rulesetId = () => Arg('id', () => GraphQLSafeInt, { description: 'Database id of the ruleset.' });

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
class NewRulesetArgs extends RulesetPartsArgs {
  @Field(() => String, { description: 'Name of the ruleset, at most 100 characters.' }) rulesetName!: string;
  @Field(() => RulesetEnforcement, { description: 'Whether violations are rejected, only recorded, or ignored.' })
  enforcement!: RulesetEnforcementValue;
}

@ArgsType()
class RulesetChangeArgs extends RulesetPartsArgs {
  @Field(() => String, { nullable: true, description: 'Name of the ruleset, at most 100 characters.' }) rulesetName?:
    | string
    | null;
  @Field(() => RulesetEnforcement, {
    nullable: true,
    description: 'Whether violations are rejected, only recorded, or ignored.',
  })
  enforcement?: RulesetEnforcementValue | null;
}

/** Renames `rulesetName` to `name`; an omitted name stays omitted. */
function rulesetInput({ rulesetName, ...parts }: NewRulesetArgs | RulesetChangeArgs) {
  return { ...parts, ...(rulesetName === undefined ? {} : { name: rulesetName }) };
}

async function create(context: Context, source: RulesetSource, args: NewRulesetArgs): Promise<RulesetRow> {
  return requireRuleset(context, source, await createRuleset(context, source, rulesetInput(args)));
}

async function update(
  context: Context,
  source: RulesetSource,
  id: number,
  args: RulesetChangeArgs,
): Promise<RulesetRow> {
  return requireRuleset(context, source, await updateRuleset(context, source, id, rulesetInput(args)));
}

async function requireRuleset(context: Context, source: RulesetSource, id: number): Promise<RulesetRow> {
  const found = await rulesetOf(context, source, id);
  if (!found) throw notFound();
  return found;
}

@Resolver()
export class RulesetRoots {
  @Access('metadata:read')
  @Query(() => RulesetConnection, { description: 'Rulesets of a repository, oldest first.' })
  async repositoryRulesets(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => RulesetFilterArgs) filters: RulesetFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RulesetRow>> {
    const source = await requireRepositorySource(context, repository, 'metadata:read');
    return new Connection(RulesetConnection, rulesetsOf(context, source, filters), args);
  }

  @Access('metadata:read')
  @Query(() => Ruleset, {
    nullable: true,
    description: 'Ruleset of a repository; null when there is none with this id.',
  })
  async repositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @rulesetId() id: number,
    @Arg('includesParents', () => Boolean, {
      nullable: true,
      defaultValue: true,
      description: 'Whether a ruleset of the organization may be returned.',
    })
    includesParents: boolean | null,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    const source = await requireRepositorySource(context, repository, 'metadata:read');
    return rulesetOf(context, source, id, { includesParents });
  }

  @Access('metadata:read')
  @Query(() => BranchRuleConnection, {
    description: 'Active rules that apply to a branch, which need not exist yet.',
  })
  async branchRules(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('branch', () => String, { description: 'Short name of the branch, such as main.' }) branch: string,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<BranchRule>> {
    const source = await requireRepositorySource(context, repository, 'metadata:read');
    return new Connection(BranchRuleConnection, rulesOfBranch(context, source.id, branch), args);
  }

  @Access('org-administration:write')
  @Query(() => RulesetConnection, { description: 'Rulesets of an organization, oldest first.' })
  async organizationRulesets(
    @organization() login: string,
    @targetNames() targets: string[] | null | undefined,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RulesetRow>> {
    return new Connection(
      RulesetConnection,
      rulesetsOf(context, await requireOrganizationSource(context, login), { targets: targets ?? null }),
      args,
    );
  }

  @Access('org-administration:write')
  @Query(() => Ruleset, {
    nullable: true,
    description: 'Ruleset of an organization; null when there is none with this id.',
  })
  async organizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    return rulesetOf(context, await requireOrganizationSource(context, login), id);
  }

  @Access('administration:write')
  @Mutation(() => Ruleset, { description: 'Creates a ruleset of a repository. It applies to all later pushes.' })
  async createRepositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => NewRulesetArgs) args: NewRulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return create(context, await requireRepositorySource(context, repository, 'administration:write'), args);
  }

  @Access('administration:write')
  @Mutation(() => Ruleset, { description: 'Updates a ruleset of a repository. Omitted properties keep their value.' })
  async updateRepositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @rulesetId() id: number,
    @Args(() => RulesetChangeArgs) args: RulesetChangeArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return update(context, await requireRepositorySource(context, repository, 'administration:write'), id, args);
  }

  @Access('administration:write')
  @Mutation(() => Boolean, { description: 'Deletes a ruleset of a repository.' })
  async deleteRepositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRuleset(context, await requireRepositorySource(context, repository, 'administration:write'), id);
    return true;
  }

  @Access('org-administration:write')
  @Mutation(() => Ruleset, { description: 'Creates a ruleset of an organization. It applies to all later pushes.' })
  async createOrganizationRuleset(
    @organization() login: string,
    @Args(() => NewRulesetArgs) args: NewRulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return create(context, await requireOrganizationSource(context, login), args);
  }

  @Access('org-administration:write')
  @Mutation(() => Ruleset, {
    description: 'Updates a ruleset of an organization. Omitted properties keep their value.',
  })
  async updateOrganizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Args(() => RulesetChangeArgs) args: RulesetChangeArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return update(context, await requireOrganizationSource(context, login), id, args);
  }

  @Access('org-administration:write')
  @Mutation(() => Boolean, { description: 'Deletes a ruleset of an organization.' })
  async deleteOrganizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRuleset(context, await requireOrganizationSource(context, login), id);
    return true;
  }
}
