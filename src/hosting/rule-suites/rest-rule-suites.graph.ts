import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Query, Resolver } from 'type-graphql';
import {
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
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { requireOrganizationSource } from '../rulesets/ruleset-source.ts';
import {
  type RuleSuiteFilters,
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

/** The filters under the names of the graph. */
function filtersOf({ timePeriod, actorName, ...others }: SuiteFilterArgs): RuleSuiteFilters {
  return { ...others, period: timePeriod ?? null, actorLogin: actorName ?? null };
}

/** Filters without an index: rows are scanned and skipped. */
const suiteFilterCosts = { ref: 10, actorName: 10, repositoryName: 10 };

/** Flat look-ups for the REST contract. */
@Resolver()
export class RestRuleSuiteRoots {
  @RestOnly()
  @Access('org-rule-suites:read')
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
      ruleSuitesOf(context, await requireOrganizationSource(context, login), filtersOf(filters)),
      args,
    );
  }

  @RestOnly()
  @Access('org-rule-suites:read')
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

  @RestOnly()
  @Access('rule-suites:read')
  @Cost(2, suiteFilterCosts)
  @Query(() => RuleSuiteConnection, { description: 'Rule suites of pushes to a repository, newest first.' })
  async repositoryRuleSuites(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => SuiteFilterArgs) filters: SuiteFilterArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RuleSuiteRow>> {
    const source = await requireSuiteRepository(context, repository);
    return new Connection(RuleSuiteConnection, ruleSuitesOf(context, source, filtersOf(filters)), args);
  }

  @RestOnly()
  @Access('rule-suites:read')
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
