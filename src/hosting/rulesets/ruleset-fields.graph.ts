import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  Ruleset,
  RulesetBypass,
  type RulesetBypassValue,
  RulesetLinks,
  RulesetPage,
} from '../../../schema/hosting/ruleset.ts';
import { RulesetBypassActor } from '../../../schema/hosting/ruleset-documents.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import type { Selection } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { nodeIdOf } from '../node-id.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { type BypassActor, bypassModeOf, toRulesetBypass } from '../rules/bypass.ts';
import { rulesetLinks } from './ruleset-event.ts';
import { loadBypassPrincipals, loadWritable, type RulesetRow, rulesetsOf } from './rulesets.queries.ts';

/** Names of targets: what no ruleset can have is had by none. */
export const targetsDescription = 'Those that judge branch, tag or push; all when left out.';

@ArgsType()
export class RulesetFilterArgs {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: true,
    description: 'Whether rulesets of the organization count that the repository belongs to.',
  })
  includesParents?: boolean | null;

  @Field(() => [String], { nullable: true, description: targetsDescription })
  targets?: string[] | null;
}

/** Loaders tell selections apart; these hang on none. */
const noSelection: Selection = new Map();

@Resolver(() => Ruleset)
export class RulesetFields {
  @FieldResolver(() => ID)
  nodeId(@Root() { databaseId }: RulesetRow): string {
    return nodeIdOf('RepositoryRuleset', databaseId);
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
    description: 'Who may bypass it; null for callers who may not change it.',
  })
  async bypassActors(@Root() row: RulesetRow, @Ctx() context: Context): Promise<BypassActor[] | null> {
    if (row.through === null) return row.bypassActors;
    const source = row.organizationId === null ? `repository:${row.repositoryId}` : row.source;
    return (await context.load(loadWritable, noSelection).load(source)) ? row.bypassActors : null;
  }

  @FieldResolver(() => RulesetBypass, {
    nullable: true,
    description:
      'Whether the caller may bypass it in the repository it was asked for by; null where it was an organization.',
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
  @FieldResolver(() => RulesetPage, { description: 'Its rulesets, the oldest first.' })
  rulesets(
    @Root() row: OwnedRow,
    @Args(() => RulesetFilterArgs) filters: RulesetFilterArgs,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Page<RulesetRow> {
    const { databaseId: id, ownerId, ownerKind } = row;
    const source = { kind: 'repository', id, ownerId, isOwnedByOrganization: ownerKind === 'organization' } as const;
    return new Page(rulesetsOf(context, source, filters), args);
  }
}

@Resolver(() => Account)
export class OrganizationRulesets {
  @FieldResolver(() => RulesetPage, {
    nullable: true,
    description:
      'Rulesets of an organization, the oldest first; null for users, and for callers who may not change them.',
  })
  async rulesets(
    @Root() { login, kind }: AccountRow,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<RulesetRow> | null> {
    if (kind !== 'organization') return null;
    const found = await organizationFor(context, login, 'org-administration:write');
    if (!found) return null;
    const source = { kind: 'organization', id: found.id, ownerId: found.id, isOwnedByOrganization: true } as const;
    return new Page(rulesetsOf(context, source), args);
  }
}
