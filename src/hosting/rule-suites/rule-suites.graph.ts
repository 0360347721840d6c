import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  RuleEvaluation,
  RuleSuite,
  RuleSuiteConnection,
  RuleSuiteEvaluateStatus,
  type RuleSuiteEvaluateStatusValue,
  RuleSuitePeriod,
  type RuleSuitePeriodValue,
  RuleSuiteResultFilter,
  type RuleSuiteResultFilterValue,
} from '../../../schema/hosting/rule-suite.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { type RulesetSource, requireOrganizationSource } from '../rulesets/ruleset-source.ts';
import {
  loadEvaluations,
  type RuleSuiteRow,
  requireSuiteRepository,
  ruleSuiteOf,
  ruleSuitesOf,
} from './rule-suites.queries.ts';

const organization = () => Arg('organization', () => String, { description: 'Login of the organization.' });
const suiteId = () => Arg('id', () => GraphQLSafeInt, { description: 'Database id of the rule suite.' });

@ArgsType()
class SuiteFilterArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Full ref name, or the short name of a branch or tag; no wildcards.',
  })
  ref?: string | null;

  @Field(() => RuleSuitePeriod, {
    nullable: true,
    defaultValue: RuleSuitePeriod.DAY,
    description: 'Period before now in which the pushes happened; a day by default.',
  })
  timePeriod?: RuleSuitePeriodValue | null;

  @Field(() => String, { nullable: true, description: 'Login of the pusher.' }) actorName?: string | null;

  @Field(() => RuleSuiteResultFilter, {
    nullable: true,
    defaultValue: RuleSuiteResultFilter.ALL,
    description: 'Result of the active rules; all results by default.',
  })
  result?: RuleSuiteResultFilterValue | null;

  @Field(() => RuleSuiteEvaluateStatus, {
    nullable: true,
    defaultValue: RuleSuiteEvaluateStatus.ALL,
    description: 'Enforcement of the evaluated rules; all by default.',
  })
  evaluateStatus?: RuleSuiteEvaluateStatusValue | null;
}

@ArgsType()
class OrganizationSuiteFilterArgs extends SuiteFilterArgs {
  @Field(() => String, { nullable: true, description: 'Name of a repository of the organization.' }) repositoryName?:
    | string
    | null;
}

/** Filters without an index: rows are scanned and skipped. */
const suiteFilterCosts = { ref: 10, actorName: 10, repositoryName: 10 };

@Resolver()
export class RuleSuiteRoots {
  @Access('org-administration:write')
  @Cost(2, suiteFilterCosts)
  @Query(() => RuleSuiteConnection, {
    description: 'Rule suites of pushes to the repositories of an organization, newest first.',
  })
  async organizationRuleSuites(
    @organization() login: string,
    @Args(() => OrganizationSuiteFilterArgs) filters: OrganizationSuiteFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RuleSuiteRow>> {
    return new Connection(
      RuleSuiteConnection,
      ruleSuitesOf(context, await requireOrganizationSource(context, login), filters),
      args,
    );
  }

  @Access('org-administration:write')
  @Query(() => RuleSuite, {
    nullable: true,
    description: 'Rule suite of an organization; null when there is none with this id.',
  })
  async organizationRuleSuite(
    @organization() login: string,
    @suiteId() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> {
    return ruleSuiteOf(context, await requireOrganizationSource(context, login), id);
  }

  @Access('administration:write')
  @Cost(2, suiteFilterCosts)
  @Query(() => RuleSuiteConnection, { description: 'Rule suites of pushes to a repository, newest first.' })
  async repositoryRuleSuites(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => SuiteFilterArgs) filters: SuiteFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RuleSuiteRow>> {
    const source = await requireSuiteRepository(context, repository);
    return new Connection(RuleSuiteConnection, ruleSuitesOf(context, source, filters), args);
  }

  @Access('administration:write')
  @Query(() => RuleSuite, {
    nullable: true,
    description: 'Rule suite of a repository; null when there is none with this id.',
  })
  async repositoryRuleSuite(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @suiteId() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> {
    return ruleSuiteOf(context, await requireSuiteRepository(context, repository), id);
  }
}

/** The loader does not depend on the selection. */
const noSelection: Selection = new Map();

@Resolver(() => RuleSuite)
export class RuleSuiteFields {
  @FieldResolver(() => [RuleEvaluation], { description: 'Results of the rules, in evaluation order.' })
  ruleEvaluations(@Root() { databaseId }: RuleSuiteRow, @Ctx() context: Context): Promise<RuleEvaluation[]> {
    return context.load(loadEvaluations, noSelection).load(databaseId);
  }
}

/** Returns null where a root field would report a missing permission. */
async function nullUnlessVisible(found: Promise<RulesetSource>): Promise<RulesetSource | null> {
  return found.catch((error: unknown) => {
    const { code } = (error as { extensions?: { code?: unknown } }).extensions ?? {};
    if (code === 'NOT_FOUND' || code === 'FORBIDDEN') return null;
    throw error;
  });
}

@Resolver(() => Organization)
export class OrganizationRuleSuites {
  @Cost(1, suiteFilterCosts)
  @FieldResolver(() => RuleSuiteConnection, {
    nullable: true,
    description: 'Rule suites of the organization, newest first; null for callers who cannot read them.',
  })
  async ruleSuites(
    @Root() { login }: AccountRow,
    @Args(() => OrganizationSuiteFilterArgs) filters: OrganizationSuiteFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RuleSuiteRow> | null> {
    const source = await nullUnlessVisible(requireOrganizationSource(context, login));
    return source && new Connection(RuleSuiteConnection, ruleSuitesOf(context, source, filters), args);
  }
}

@Resolver(() => Repository)
export class RepositoryRuleSuites {
  @Cost(1, suiteFilterCosts)
  @FieldResolver(() => RuleSuiteConnection, {
    nullable: true,
    description: 'Rule suites of pushes to the repository, newest first; null for callers who cannot read them.',
  })
  async ruleSuites(
    @Root() { databaseId: id }: OwnedRow,
    @Args(() => SuiteFilterArgs) filters: SuiteFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RuleSuiteRow> | null> {
    const source = await nullUnlessVisible(requireSuiteRepository(context, { id }));
    return source && new Connection(RuleSuiteConnection, ruleSuitesOf(context, source, filters), args);
  }
}
