import { Args, ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryRuleConnection } from '../../../schema/hosting/rule.ts';
import {
  RepositoryRuleset,
  RepositoryRulesetConnection,
  RepositoryRulesetTarget,
  type RulesetTargetValue,
} from '../../../schema/hosting/ruleset.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { branchKey, rulesetsOfBranches } from './branch-rules.queries.ts';
import { listOf, type RuleRow, ruleRows } from './rule-rows.ts';
import { administersOrganization } from './ruleset-source.ts';
import { type RulesetRow, rulesetKey, rulesetLists, rulesetsByKeys } from './rulesets.queries.ts';

const parents = 'Whether to include rulesets of the organization that owns the repository.';

@ArgsType()
class RulesetsArgs extends ConnectionArgs {
  @Field(() => Boolean, { nullable: true, defaultValue: true, description: parents }) includeParents?: boolean | null;
  @optionalField(() => [RepositoryRulesetTarget], 'Only rulesets of these targets; all when null.')
  targets?: RulesetTargetValue[] | null;
}

@ArgsType()
class RulesetArgs {
  @Field(() => Int, { description: 'Number of the ruleset.' }) databaseId!: number;
  @Field(() => Boolean, { nullable: true, defaultValue: true, description: parents }) includeParents?: boolean | null;
}

@ArgsType()
class BranchRulesArgs extends ConnectionArgs {
  @Field(() => String, { description: 'Short name of the branch, such as `main`.' }) branch!: string;
}

function rulesetConnection(
  context: Context,
  kind: 'repository' | 'organization',
  id: number,
  args: RulesetsArgs,
): Connection<RulesetRow> {
  const filters = { includeParents: args.includeParents ?? true, targets: args.targets ?? null };
  const source = batchedList(context, `${kind}.rulesets`, filters, id, rulesetLists(context, kind, filters));
  return new Connection(RepositoryRulesetConnection, source, args);
}

@Resolver(() => Repository)
export class RepositoryRulesets {
  @FieldResolver(() => RepositoryRulesetConnection, {
    nullable: true,
    description: 'Rulesets of the repository, oldest first.',
  })
  rulesets(
    @Root() { databaseId }: OwnedRow,
    @Args(() => RulesetsArgs) args: RulesetsArgs,
    @Ctx() context: Context,
  ): Connection<RulesetRow> {
    return rulesetConnection(context, 'repository', databaseId, args);
  }

  @Cost(1)
  @FieldResolver(() => RepositoryRuleset, {
    nullable: true,
    description: 'Ruleset of the repository with this number; null if there is none.',
  })
  ruleset(
    @Root() { databaseId, ownerId }: OwnedRow,
    @Args(() => RulesetArgs) { databaseId: id, includeParents }: RulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    const source = { kind: 'repository', id: databaseId, ownerId } as const;
    const key = rulesetKey({ source, includeParents: includeParents !== false, id });
    return context.load(rulesetsByKeys, noSelection).load(key);
  }

  @FieldResolver(() => RepositoryRuleConnection, {
    nullable: true,
    description: 'Active rules that apply to a branch, which need not exist yet.',
  })
  branchRules(
    @Root() { databaseId, ownerId }: OwnedRow,
    @Args(() => BranchRulesArgs) args: BranchRulesArgs,
    @Ctx() context: Context,
  ): Connection<RuleRow> {
    const source = { kind: 'repository', id: databaseId, ownerId } as const;
    const rules = async (): Promise<RuleRow[]> => {
      const rulesets = await context.load(rulesetsOfBranches, noSelection).load(branchKey(databaseId, args.branch));
      return rulesets.flatMap(({ id, rules: own }) => ruleRows(id, own, { source, includeParents: true, id }));
    };
    return new Connection(RepositoryRuleConnection, listOf(rules), args);
  }
}

@Resolver(() => Organization)
export class OrganizationRulesets {
  @Cost(2)
  @FieldResolver(() => RepositoryRulesetConnection, {
    nullable: true,
    description: 'Rulesets of the organization, oldest first; null if you cannot edit them.',
  })
  async rulesets(
    @Root() { databaseId }: AccountRow,
    @Args(() => RulesetsArgs) args: RulesetsArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RulesetRow> | null> {
    const mayRead = await administersOrganization(context, databaseId);
    return mayRead ? rulesetConnection(context, 'organization', databaseId, args) : null;
  }

  @Cost(2)
  @FieldResolver(() => RepositoryRuleset, {
    nullable: true,
    description: 'Ruleset of the organization with this number; null if there is none, or if you cannot edit them.',
  })
  async ruleset(
    @Root() { databaseId: ownerId }: AccountRow,
    @Args(() => RulesetArgs) { databaseId: id }: RulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    if (!(await administersOrganization(context, ownerId))) return null;
    const source = { kind: 'organization', id: ownerId, ownerId } as const;
    return context.load(rulesetsByKeys, noSelection).load(rulesetKey({ source, includeParents: true, id }));
  }
}
