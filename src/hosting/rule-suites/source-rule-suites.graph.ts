import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Resolver, Root } from 'type-graphql';
import { Organization } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import {
  RuleOutcome,
  RuleSuite,
  RuleSuiteConnection,
  RuleSuiteEvaluateStatus,
  type RuleSuiteEvaluateStatusValue,
  RuleSuitePeriod,
  type RuleSuitePeriodValue,
  RuleSuiteResult,
  type RuleSuiteResultValue,
} from '../../../schema/hosting/rule-suite.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { administersOrganization, administersRepository, type RulesetSource } from '../rulesets/ruleset-source.ts';
import { loadOutcomes, maxOutcomes, outcomeKey, type RuleOutcomeRow } from './rule-outcomes.queries.ts';
import { type RuleSuiteRow, ruleSuiteLists, suiteKey, suitesByKeys } from './rule-suites.queries.ts';

@ArgsType()
class RuleSuitesArgs extends ConnectionArgs {
  @optionalField(() => String, 'Full ref name, or the short name of a branch or tag; no wildcards.')
  ref?: string | null;

  @Field(() => RuleSuitePeriod, {
    defaultValue: RuleSuitePeriod.DAY,
    description: 'Only suites pushed in this period.',
  })
  period!: RuleSuitePeriodValue;

  @optionalField(() => String, 'Login of the pusher; for an app the slug and `[bot]`.') actorLogin?: string | null;

  @optionalField(() => RuleSuiteResult, 'Result of the active rules; all when null.')
  result?: RuleSuiteResultValue | null;

  @Field(() => RuleSuiteEvaluateStatus, {
    defaultValue: RuleSuiteEvaluateStatus.ALL,
    description: 'Enforcement of the evaluated rules.',
  })
  evaluateStatus!: RuleSuiteEvaluateStatusValue;
}

@ArgsType()
class OrganizationRuleSuitesArgs extends RuleSuitesArgs {
  @optionalField(() => String, 'Name of a repository of the organization.') repositoryName?: string | null;
}

const SuiteNumber = () => Arg('databaseId', () => GraphQLSafeInt, { description: 'Number of the suite.' });
const Period = () =>
  Arg('period', () => RuleSuitePeriod, {
    defaultValue: RuleSuitePeriod.DAY,
    description: 'Only suites pushed in this period.',
  });

/** Filters without an index: rows are scanned and skipped. */
const suiteFilterCosts = { ref: 10, actorLogin: 10, repositoryName: 10 };
const atMost = `At most ${maxOutcomes.toLocaleString('en')}`;

/** Whether the caller may read the suites of a source; missing single sign-on hides them. */
function mayRead(context: Context, kind: RulesetSource['kind'], id: number): Promise<boolean> {
  if (kind === 'repository') return administersRepository(context, id);
  return administersOrganization(context, id).catch((error: { extensions?: { code?: unknown } }) => {
    if (error.extensions?.code === 'FORBIDDEN') return false;
    throw error;
  });
}

async function suiteConnection(
  context: Context,
  kind: RulesetSource['kind'],
  id: number,
  args: OrganizationRuleSuitesArgs,
): Promise<Connection<RuleSuiteRow> | null> {
  if (!(await mayRead(context, kind, id))) return null;
  const { ref, period, actorLogin, result, evaluateStatus, repositoryName } = args;
  const filters = {
    ...{ ref: ref ?? null, period, actorLogin: actorLogin ?? null, result: result ?? null },
    ...{ evaluateStatus, repositoryName: repositoryName ?? null },
  };
  const source = batchedList(context, `${kind}.ruleSuites`, filters, id, ruleSuiteLists(context, kind, filters));
  return new Connection(RuleSuiteConnection, source, args);
}

async function suiteOf(
  context: Context,
  kind: RulesetSource['kind'],
  sourceId: number,
  id: number,
): Promise<RuleSuiteRow | null> {
  if (!(await mayRead(context, kind, sourceId))) return null;
  return context.load(suitesByKeys, noSelection).load(suiteKey(kind, sourceId, id));
}

async function outcomes(
  context: Context,
  kind: RulesetSource['kind'],
  id: number,
  period: RuleSuitePeriodValue,
): Promise<RuleOutcomeRow[] | null> {
  if (!(await mayRead(context, kind, id))) return null;
  return context.load(loadOutcomes, noSelection).load(outcomeKey(kind, period, id));
}

@Resolver(() => Organization)
export class OrganizationRuleSuites {
  @Cost(2, suiteFilterCosts)
  @FieldResolver(() => RuleSuiteConnection, {
    nullable: true,
    description: 'Rule suites of pushes to its repositories, newest first; null if you do not administer it.',
  })
  ruleSuites(
    @Root() { databaseId }: AccountRow,
    @Args(() => OrganizationRuleSuitesArgs) args: OrganizationRuleSuitesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RuleSuiteRow> | null> {
    return suiteConnection(context, 'organization', databaseId, args);
  }

  @Cost(2)
  @FieldResolver(() => RuleSuite, {
    nullable: true,
    description: 'Rule suite with this number; null if there is none, or if you do not administer the organization.',
  })
  ruleSuite(
    @Root() { databaseId }: AccountRow,
    @SuiteNumber() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> {
    return suiteOf(context, 'organization', databaseId, id);
  }

  @Cost(10)
  @FieldResolver(() => [RuleOutcome], {
    nullable: true,
    description: `Results by rule, most violations first. ${atMost}; null if you do not administer the organization.`,
  })
  ruleOutcomes(
    @Root() { databaseId }: AccountRow,
    @Period() period: RuleSuitePeriodValue,
    @Ctx() context: Context,
  ): Promise<RuleOutcomeRow[] | null> {
    return outcomes(context, 'organization', databaseId, period);
  }
}

@Resolver(() => Repository)
export class RepositoryRuleSuites {
  @Cost(2, suiteFilterCosts)
  @FieldResolver(() => RuleSuiteConnection, {
    nullable: true,
    description: 'Rule suites of pushes to the repository, newest first; null if you do not administer it.',
  })
  ruleSuites(
    @Root() { databaseId }: OwnedRow,
    @Args(() => RuleSuitesArgs) args: RuleSuitesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RuleSuiteRow> | null> {
    return suiteConnection(context, 'repository', databaseId, args);
  }

  @Cost(2)
  @FieldResolver(() => RuleSuite, {
    nullable: true,
    description: 'Rule suite with this number; null if there is none, or if you do not administer the repository.',
  })
  ruleSuite(
    @Root() { databaseId }: OwnedRow,
    @SuiteNumber() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> {
    return suiteOf(context, 'repository', databaseId, id);
  }

  @Cost(10)
  @FieldResolver(() => [RuleOutcome], {
    nullable: true,
    description: `Results by rule, most violations first. ${atMost}; null if you do not administer the repository.`,
  })
  ruleOutcomes(
    @Root() { databaseId }: OwnedRow,
    @Period() period: RuleSuitePeriodValue,
    @Ctx() context: Context,
  ): Promise<RuleOutcomeRow[] | null> {
    return outcomes(context, 'repository', databaseId, period);
  }
}
