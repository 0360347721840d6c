import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  RuleEvaluation,
  RuleSuite,
  RuleSuiteEvaluateStatus,
  type RuleSuiteEvaluateStatusValue,
  RuleSuitePage,
  RuleSuitePeriod,
  type RuleSuitePeriodValue,
  RuleSuiteResultFilter,
  type RuleSuiteResultFilterValue,
} from '../../../schema/hosting/rule-suite.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import type { Selection } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import {
  loadEvaluations,
  type RuleSuiteRow,
  requireOrganizationScope,
  requireRepositoryScope,
  ruleSuiteOf,
  ruleSuitesOf,
  type SuiteScope,
} from './rule-suites.queries.ts';

const owner = () => Arg('owner', () => String, { description: 'Login of the owner.' });
const repositoryName = () => Arg('name', () => String, { description: 'Name of the repository.' });
const organization = () => Arg('organization', () => String, { description: 'Login of the organization.' });
const suiteId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the suite.' });

@ArgsType()
class SuiteFilterArgs {
  @Field(() => String, {
    nullable: true,
    description: 'A ref by its full name, or a branch or tag by its own; no wildcards.',
  })
  ref?: string | null;

  @Field(() => RuleSuitePeriod, {
    nullable: true,
    defaultValue: RuleSuitePeriod.DAY,
    description: 'How far back they were pushed.',
  })
  timePeriod?: RuleSuitePeriodValue | null;

  @Field(() => String, { nullable: true, description: 'Login of who pushed.' }) actorName?: string | null;

  @Field(() => RuleSuiteResultFilter, {
    nullable: true,
    defaultValue: RuleSuiteResultFilter.ALL,
    description: 'The outcome by the active rules.',
  })
  result?: RuleSuiteResultFilterValue | null;

  @Field(() => RuleSuiteEvaluateStatus, {
    nullable: true,
    defaultValue: RuleSuiteEvaluateStatus.ALL,
    description: 'Which rules were asked.',
  })
  evaluateStatus?: RuleSuiteEvaluateStatusValue | null;
}

@ArgsType()
class OrganizationSuiteFilterArgs extends SuiteFilterArgs {
  @Field(() => String, { nullable: true, description: 'Name of a repository.' }) repositoryName?: string | null;
}

/** Filters that the index of pushes does not serve: rows are passed over. */
const suiteFilterCosts = { ref: 10, actorName: 10, repositoryName: 10 };

@Resolver()
export class RuleSuiteRoots {
  @Access('org-administration:write')
  @Cost(2, suiteFilterCosts)
  @Query(() => RuleSuitePage, {
    description: 'What the rules said about pushes to the repositories of an organization, the newest first.',
  })
  async organizationRuleSuites(
    @organization() login: string,
    @Args(() => OrganizationSuiteFilterArgs) filters: OrganizationSuiteFilterArgs,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<RuleSuiteRow>> {
    return new Page(ruleSuitesOf(context, await requireOrganizationScope(context, login), filters), args);
  }

  @Access('org-administration:write')
  @Query(() => RuleSuite, { nullable: true, description: 'One suite of an organization; null when there is none.' })
  async organizationRuleSuite(
    @organization() login: string,
    @suiteId() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> {
    return ruleSuiteOf(context, await requireOrganizationScope(context, login), id);
  }

  @Access('administration:write')
  @Cost(2, suiteFilterCosts)
  @Query(() => RuleSuitePage, { description: 'What the rules said about pushes to a repository, the newest first.' })
  async repositoryRuleSuites(
    @owner() login: string,
    @repositoryName() name: string,
    @Args(() => SuiteFilterArgs) filters: SuiteFilterArgs,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<RuleSuiteRow>> {
    const of = await requireRepositoryScope(context, { owner: login, name });
    return new Page(ruleSuitesOf(context, of, filters), args);
  }

  @Access('administration:write')
  @Query(() => RuleSuite, { nullable: true, description: 'One suite of a repository; null when there is none.' })
  async repositoryRuleSuite(
    @owner() login: string,
    @repositoryName() name: string,
    @suiteId() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> {
    return ruleSuiteOf(context, await requireRepositoryScope(context, { owner: login, name }), id);
  }
}

/** Loaders tell selections apart; this hangs on none. */
const noSelection: Selection = new Map();

@Resolver(() => RuleSuite)
export class RuleSuiteFields {
  @FieldResolver(() => [RuleEvaluation], { description: 'What each rule said.' })
  ruleEvaluations(@Root() { databaseId }: RuleSuiteRow, @Ctx() context: Context): Promise<RuleEvaluation[]> {
    return context.load(loadEvaluations, noSelection).load(databaseId);
  }
}

/** A field is null where a root would say that there is nothing. */
async function nullUnlessVisible(found: Promise<SuiteScope>): Promise<SuiteScope | null> {
  return found.catch((error: unknown) => {
    const { code } = (error as { extensions?: { code?: unknown } }).extensions ?? {};
    if (code === 'NOT_FOUND' || code === 'FORBIDDEN') return null;
    throw error;
  });
}

@Resolver(() => Account)
export class OrganizationRuleSuites {
  @Cost(1, suiteFilterCosts)
  @FieldResolver(() => RuleSuitePage, {
    nullable: true,
    description:
      'What the rules of an organization said, the newest first; null for users, and for callers who may not know.',
  })
  async ruleSuites(
    @Root() { login, kind }: AccountRow,
    @Args(() => OrganizationSuiteFilterArgs) filters: OrganizationSuiteFilterArgs,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<RuleSuiteRow> | null> {
    const of = kind === 'organization' ? await nullUnlessVisible(requireOrganizationScope(context, login)) : null;
    return of && new Page(ruleSuitesOf(context, of, filters), args);
  }
}

@Resolver(() => Repository)
export class RepositoryRuleSuites {
  @Cost(1, suiteFilterCosts)
  @FieldResolver(() => RuleSuitePage, {
    nullable: true,
    description: 'What the rules said about pushes to it, the newest first; null for callers who may not know.',
  })
  async ruleSuites(
    @Root() { databaseId: id }: OwnedRow,
    @Args(() => SuiteFilterArgs) filters: SuiteFilterArgs,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: Context,
  ): Promise<Page<RuleSuiteRow> | null> {
    const of = await nullUnlessVisible(requireRepositoryScope(context, { id }));
    return of && new Page(ruleSuitesOf(context, of, filters), args);
  }
}
