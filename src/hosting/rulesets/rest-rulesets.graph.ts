import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import {
  type BranchRule,
  BranchRuleConnection,
  RepositoryRuleset,
  RepositoryRulesetConnection,
} from '../../../schema/hosting/ruleset.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { notFound } from '../../errors/errors.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { rulesOfBranch } from './branch-rules.queries.ts';
import { NewRulesetArgs, RulesetChangeArgs, RulesetFilterArgs, targetsDescription } from './rest-ruleset-args.ts';
import { type RulesetSource, requireOrganizationSource, requireRepositorySource } from './ruleset-source.ts';
import { type RulesetRow, rulesetOf, rulesetsOf } from './rulesets.queries.ts';
import { createRuleset, deleteRuleset, updateRuleset } from './write-ruleset.ts';

const organization = () => Arg('organization', () => String, { description: 'Login of the organization.' });
const targetNames = () => Arg('targets', () => [String], { nullable: true, description: targetsDescription });
const rulesetId = () => Arg('id', () => GraphQLSafeInt, { description: 'Database id of the ruleset.' });

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

/** Flat look-ups and writes of documents, for the REST contract. */
@Resolver()
export class RestRulesetRoots {
  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryRulesetConnection, { description: 'Rulesets of a repository, oldest first.' })
  async repositoryRulesets(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => RulesetFilterArgs) filters: RulesetFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RulesetRow>> {
    const source = await requireRepositorySource(context, repository, 'metadata:read');
    return new Connection(RepositoryRulesetConnection, rulesetsOf(context, source, filters), args);
  }

  @RestOnly()
  @Access('metadata:read')
  @Query(() => RepositoryRuleset, {
    nullable: true,
    description: 'Ruleset of a repository; null when there is none with this id.',
  })
  async repositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @rulesetId() id: number,
    @Arg('includeParents', () => Boolean, {
      nullable: true,
      defaultValue: true,
      description: 'Whether a ruleset of the organization may be returned.',
    })
    includeParents: boolean | null,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    const source = await requireRepositorySource(context, repository, 'metadata:read');
    return rulesetOf(context, source, id, { includeParents });
  }

  @RestOnly()
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

  @RestOnly()
  @Access('org-administration:write')
  @Query(() => RepositoryRulesetConnection, { description: 'Rulesets of an organization, oldest first.' })
  async organizationRulesets(
    @organization() login: string,
    @targetNames() targets: string[] | null | undefined,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RulesetRow>> {
    return new Connection(
      RepositoryRulesetConnection,
      rulesetsOf(context, await requireOrganizationSource(context, login), { targets: targets ?? null }),
      args,
    );
  }

  @RestOnly()
  @Access('org-administration:write')
  @Query(() => RepositoryRuleset, {
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

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => RepositoryRuleset, {
    description: 'Creates a ruleset of a repository. It applies to all later pushes.',
  })
  async restCreateRepositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => NewRulesetArgs) args: NewRulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return create(context, await requireRepositorySource(context, repository, 'administration:write'), args);
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => RepositoryRuleset, {
    description: 'Updates a ruleset of a repository. Omitted properties keep their value.',
  })
  async restUpdateRepositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @rulesetId() id: number,
    @Args(() => RulesetChangeArgs) args: RulesetChangeArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return update(context, await requireRepositorySource(context, repository, 'administration:write'), id, args);
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => Boolean, { description: 'Deletes a ruleset of a repository.' })
  async restDeleteRepositoryRuleset(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRuleset(context, await requireRepositorySource(context, repository, 'administration:write'), id);
    return true;
  }

  @RestOnly()
  @Access('org-administration:write')
  @Mutation(() => RepositoryRuleset, {
    description: 'Creates a ruleset of an organization. It applies to all later pushes.',
  })
  async restCreateOrganizationRuleset(
    @organization() login: string,
    @Args(() => NewRulesetArgs) args: NewRulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return create(context, await requireOrganizationSource(context, login), args);
  }

  @RestOnly()
  @Access('org-administration:write')
  @Mutation(() => RepositoryRuleset, {
    description: 'Updates a ruleset of an organization. Omitted properties keep their value.',
  })
  async restUpdateOrganizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Args(() => RulesetChangeArgs) args: RulesetChangeArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow> {
    return update(context, await requireOrganizationSource(context, login), id, args);
  }

  @RestOnly()
  @Access('org-administration:write')
  @Mutation(() => Boolean, { description: 'Deletes a ruleset of an organization.' })
  async restDeleteOrganizationRuleset(
    @organization() login: string,
    @rulesetId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRuleset(context, await requireOrganizationSource(context, login), id);
    return true;
  }
}
