import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  Ruleset,
  RulesetBypass,
  type RulesetBypassValue,
  RulesetConnection,
  RulesetLinks,
} from '../../../schema/hosting/ruleset.ts';
import { RulesetBypassActor } from '../../../schema/hosting/ruleset-documents.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { type BypassActor, bypassModeOf, toRulesetBypass } from '../rules/bypass.ts';
import { rulesetLinks } from './ruleset-event.ts';
import { organizationSource, repositorySource } from './ruleset-source.ts';
import { loadBypassPrincipals, loadWritable, type RulesetRow, rulesetsOf } from './rulesets.queries.ts';

/** Unknown target names match no ruleset. */
export const targetsDescription = 'Targets to include: branch, tag or push; all when null.';

@ArgsType()
export class RulesetFilterArgs {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: true,
    description: 'Whether to include rulesets of the organization that owns the repository.',
  })
  includesParents?: boolean | null;

  @Field(() => [String], { nullable: true, description: targetsDescription })
  targets?: string[] | null;
}

/** These loaders do not depend on the selection. */
const noSelection: Selection = new Map();

@Resolver(() => Ruleset)
export class RulesetFields {
  @FieldResolver(() => ID)
  nodeId(@Root() { databaseId }: RulesetRow): string {
    return encodeGlobalId('RepositoryRuleset', databaseId);
  }

  @FieldResolver(() => String)
  sourceType(@Root() { organizationId }: RulesetRow): string {
    return organizationId === null ? 'Repository' : 'Organization';
  }

  @FieldResolver(() => RulesetLinks)
  links(@Root() row: RulesetRow, @Ctx() context: Context): RulesetLinks {
    return rulesetLinks(row, context);
  }

  @FieldResolver(() => [RulesetBypassActor], {
    nullable: true,
    description: 'Bypass actors; null for callers who cannot edit the ruleset.',
  })
  async bypassActors(@Root() row: RulesetRow, @Ctx() context: Context): Promise<BypassActor[] | null> {
    if (row.through === null) return row.bypassActors;
    const source = row.organizationId === null ? `repository:${row.repositoryId}` : row.source;
    return (await context.load(loadWritable, noSelection).load(source)) ? row.bypassActors : null;
  }

  @FieldResolver(() => RulesetBypass, {
    nullable: true,
    description:
      'Bypass permission of the caller in the repository through which the ruleset was loaded; null when it was loaded through an organization.',
  })
  async currentUserCanBypass(@Root() row: RulesetRow, @Ctx() context: Context): Promise<RulesetBypassValue | null> {
    if (row.through === null) return null;
    if (row.bypassActors.length === 0) return RulesetBypass.NEVER;
    const claim = await context.load(loadBypassPrincipals, noSelection).load(row.through);
    return toRulesetBypass(bypassModeOf(row.bypassActors, claim));
  }
}

@Resolver(() => Repository)
export class RepositoryRulesets {
  @FieldResolver(() => RulesetConnection, { description: 'Rulesets of the repository, oldest first.' })
  rulesets(
    @Root() row: OwnedRow,
    @Args(() => RulesetFilterArgs) filters: RulesetFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<RulesetRow> {
    return new Connection(RulesetConnection, rulesetsOf(context, repositorySource(row), filters), args);
  }
}

@Resolver(() => Organization)
export class OrganizationRulesets {
  @FieldResolver(() => RulesetConnection, {
    nullable: true,
    description: 'Rulesets of the organization, oldest first; null for callers who cannot edit them.',
  })
  async rulesets(
    @Root() { login }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RulesetRow> | null> {
    const found = await organizationFor(context, login, 'org-administration:write');
    return found && new Connection(RulesetConnection, rulesetsOf(context, organizationSource(found)), args);
  }
}
