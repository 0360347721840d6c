import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryRuleConnection } from '../../../schema/hosting/rule.ts';
import {
  RepositoryRuleset,
  RepositoryRulesetConnection,
  RepositoryRulesetTarget,
  RulesetSourceKind,
  type RulesetTargetValue,
} from '../../../schema/hosting/ruleset.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { badInput } from '../../errors/errors.ts';
import { type AccountRow, mayReadField } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { branchKey, rulesOfBranches } from './branch-rules.queries.ts';
import { listOf, type RuleRow, ruleRows } from './rule-rows.ts';
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
  @optionalField(() => Int, 'Number of the ruleset to read.') databaseId?: number | null;
  @optionalField(() => ID, 'Global id of the ruleset, in the place of its number.') id?: string | null;
  @Field(() => Boolean, { nullable: true, defaultValue: true, description: parents }) includeParents?: boolean | null;
}

@ArgsType()
class BranchRulesArgs extends ConnectionArgs {
  @Field(() => String, { description: 'Short name of the branch, such as `main`.' }) branch!: string;
}

/** @throws GraphQLError BAD_USER_INPUT for none and for both */
function numberOf({ databaseId, id }: RulesetArgs): number {
  if ((databaseId == null) === (id == null)) throw badInput('Give one of databaseId and id.', 'databaseId');
  return databaseId ?? numberOfId('RepositoryRuleset', id ?? '', 'id');
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
    @Args(() => RulesetArgs) args: RulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    const source = { kind: 'repository', id: databaseId, ownerId } as const;
    const key = rulesetKey({ source, includeParents: args.includeParents !== false, id: numberOf(args) });
    return context.load(rulesetsByKeys, noSelection).load(key);
  }

  @FieldResolver(() => RepositoryRuleConnection, {
    nullable: true,
    description: 'Active rules that apply to a branch, which need not exist yet.',
  })
  branchRules(
    @Root() { databaseId, ownerId, ownerLogin, name }: OwnedRow,
    @Args(() => BranchRulesArgs) args: BranchRulesArgs,
    @Ctx() context: Context,
  ): Connection<RuleRow> {
    const source = { kind: 'repository', id: databaseId, ownerId } as const;
    const rules = async (): Promise<RuleRow[]> => {
      const { rulesets } = await context.load(rulesOfBranches, noSelection).load(branchKey(databaseId, args.branch));
      return rulesets.flatMap(({ id, organizationId, rules: own }) => {
        const sourceOf =
          organizationId === null
            ? { sourceKind: RulesetSourceKind.REPOSITORY, sourceName: `${ownerLogin}/${name}` }
            : { sourceKind: RulesetSourceKind.ORGANIZATION, sourceName: ownerLogin };
        return ruleRows(id, own, { source, includeParents: true, id }, sourceOf);
      });
    };
    return new Connection(RepositoryRuleConnection, listOf(rules), args);
  }
}

@Resolver(() => Organization)
export class OrganizationRulesets {
  @Access('org-administration:write')
  @Cost(2)
  @FieldResolver(() => RepositoryRulesetConnection, {
    nullable: true,
    description: 'Rulesets of the organization, oldest first; null if you cannot edit them.',
  })
  rulesets(
    @Root() row: AccountRow,
    @Args(() => RulesetsArgs) args: RulesetsArgs,
    @Ctx() context: Context,
  ): Connection<RulesetRow> | null {
    return mayReadField(context, row, 'rulesets')
      ? rulesetConnection(context, 'organization', row.databaseId, args)
      : null;
  }

  @Access('org-administration:write')
  @Cost(2)
  @FieldResolver(() => RepositoryRuleset, {
    nullable: true,
    description: 'Ruleset of the organization with this number; null if there is none, or if you cannot edit them.',
  })
  async ruleset(
    @Root() row: AccountRow,
    @Args(() => RulesetArgs) args: RulesetArgs,
    @Ctx() context: Context,
  ): Promise<RulesetRow | null> {
    const id = numberOf(args);
    if (!mayReadField(context, row, 'ruleset')) return null;
    const source = { kind: 'organization', id: row.databaseId, ownerId: row.databaseId } as const;
    return context.load(rulesetsByKeys, noSelection).load(rulesetKey({ source, includeParents: true, id }));
  }
}
