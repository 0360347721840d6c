import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, createUnionType, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  RepositoryRuleConnection,
  RepositoryRuleType,
  type RepositoryRuleTypeValue,
} from '../../../schema/hosting/rule.ts';
import {
  RepositoryRuleset,
  RulesetBypass,
  type RulesetBypassValue,
  RulesetLinks,
} from '../../../schema/hosting/ruleset.ts';
import { RepositoryRulesetBypassActorConnection } from '../../../schema/hosting/ruleset-bypass-actor.ts';
import { RepositoryRuleConditions } from '../../../schema/hosting/ruleset-conditions.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { accountsByIds } from '../accounts/accounts.queries.ts';
import { repositoriesByIds } from '../repositories/repositories.queries.ts';
import { type BypassPrincipal, bypassModeOf, toRulesetBypass } from '../rules/bypass.ts';
import { loadBypassPrincipalsOf } from '../rules/load-rulesets.ts';
import { type BypassActorRow, bypassActorRows, listOf, type RuleRow, rulesOf } from './rule-rows.ts';
import { conditionsOf } from './ruleset-documents.ts';
import { rulesetLinks } from './ruleset-event.ts';
import { administersOrganization, administersRepository } from './ruleset-source.ts';
import type { RulesetRow } from './rulesets.queries.ts';

/** Types are resolved by `__typename`. */
const RuleSource = createUnionType({
  name: 'RuleSource',
  description: 'Repository or organization that a ruleset belongs to.',
  types: () => [Organization, Repository] as const,
});

@ArgsType()
class RulesArgs extends ConnectionArgs {
  @optionalField(() => RepositoryRuleType, 'Only rules of this type; all when null.')
  type?: RepositoryRuleTypeValue | null;
}

/** DataLoader batch function: what bypass checks of the caller need, per repository. */
function loadBypassPrincipals(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  repositoryIds: readonly number[],
): Promise<BypassPrincipal[]> {
  const accountId = actor.kind === 'user' ? actor.accountId : undefined;
  const appId = actor.kind === 'installation' ? actor.appId : undefined;
  return loadBypassPrincipalsOf(read, repositoryIds, { accountId, appId });
}

/** Whether the caller may edit the ruleset, and so see its bypass actors. */
export async function isEditable(context: Context, row: RulesetRow): Promise<boolean> {
  if (row.through === null) return true;
  if (row.repositoryId !== null) return administersRepository(context, row.repositoryId);
  // Required single sign-on only hides the field.
  return administersOrganization(context, row.organizationId ?? 0).catch(() => false);
}

@Resolver(() => RepositoryRuleset)
export class RulesetFields {
  @FieldResolver(() => RuleSource, {
    nullable: true,
    description: 'Repository or organization that it belongs to; null if you cannot see it.',
  })
  async source(
    @Root() { organizationId, repositoryId }: RulesetRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object | null> {
    if (organizationId !== null) return context.load(accountsByIds, selectionOf(info)).load(organizationId);
    const row = await context.load(repositoriesByIds, selectionOf(info)).load(repositoryId ?? 0);
    return row && { ...row, __typename: 'Repository' };
  }

  @FieldResolver(() => RepositoryRuleConditions, { description: 'Refs and repositories that it applies to.' })
  conditions(@Root() { conditions }: RulesetRow): RepositoryRuleConditions {
    return conditionsOf(conditions);
  }

  /** The rules were read with the ruleset. */
  @Cost(0)
  @FieldResolver(() => RepositoryRuleConnection, { nullable: true, description: 'Rules, in their order.' })
  rules(@Root() row: RulesetRow, @Args(() => RulesArgs) args: RulesArgs): Connection<RuleRow> {
    const rows = rulesOf(row);
    const found = args.type == null ? rows : rows.filter(({ type }) => type === args.type);
    return new Connection(
      RepositoryRuleConnection,
      listOf(() => found),
      args,
    );
  }

  /** One look-up serves all rulesets of the answer. */
  @Cost(0)
  @FieldResolver(() => RepositoryRulesetBypassActorConnection, {
    nullable: true,
    description: 'Actors that may bypass it; null if you cannot edit the ruleset.',
  })
  async bypassActors(
    @Root() row: RulesetRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<BypassActorRow> | null> {
    if (!(await isEditable(context, row))) return null;
    return new Connection(
      RepositoryRulesetBypassActorConnection,
      listOf(() => bypassActorRows(row)),
      args,
    );
  }

  @FieldResolver(() => RulesetLinks, { description: 'URLs of the ruleset.' })
  links(@Root() row: RulesetRow, @Ctx() context: Context): RulesetLinks {
    return rulesetLinks(row, context);
  }

  @FieldResolver(() => RepositoryRuleConditions, {
    nullable: true,
    description: 'Refs and repositories that were given; null where no conditions were.',
  })
  givenConditions(@Root() { conditions }: RulesetRow): RepositoryRuleConditions | null {
    return conditions && conditionsOf(conditions);
  }

  @FieldResolver(() => RulesetBypass, {
    nullable: true,
    description: 'Whether you may bypass it in the repository that led to it; null where an organization did.',
  })
  async currentUserCanBypass(@Root() row: RulesetRow, @Ctx() context: Context): Promise<RulesetBypassValue | null> {
    if (row.through === null) return null;
    if (row.bypassActors.length === 0) return RulesetBypass.NEVER;
    const claim = await context.load(loadBypassPrincipals, noSelection).load(row.through);
    return toRulesetBypass(bypassModeOf(row.bypassActors, claim));
  }
}
