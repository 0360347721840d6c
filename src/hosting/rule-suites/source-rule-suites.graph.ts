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
  RuleSuiteResultFilter,
  type RuleSuiteResultFilterValue,
} from '../../../schema/hosting/rule-suite.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { type AccountRow, mayReadField as mayReadOrganizationField } from '../accounts/accounts.queries.ts';
import { mayReadField, type OwnedRow } from '../repositories/repositories.queries.ts';
import type { RulesetSource } from '../rulesets/ruleset-source.ts';
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

  @Field(() => RuleSuiteResultFilter, {
    nullable: true,
    defaultValue: RuleSuiteResultFilter.ALL,
    description: 'Result of the active rules.',
  })
  result?: RuleSuiteResultFilterValue | null;

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

function suiteConnection(
  context: Context,
  kind: RulesetSource['kind'],
  id: number,
  args: OrganizationRuleSuitesArgs,
): Connection<RuleSuiteRow> {
  const { ref, period, actorLogin, result, evaluateStatus, repositoryName } = args;
  const filters = {
    ...{ ref: ref ?? null, period, actorLogin: actorLogin ?? null, result: result ?? null },
    ...{ evaluateStatus: evaluateStatus ?? null, repositoryName: repositoryName ?? null },
  };
  const source = batchedList(context, `${kind}.ruleSuites`, filters, id, ruleSuiteLists(context, kind, filters));
  return new Connection(RuleSuiteConnection, source, args);
}

const suiteOf = (
  context: Context,
  kind: RulesetSource['kind'],
  sourceId: number,
  id: number,
): Promise<RuleSuiteRow | null> => context.load(suitesByKeys, noSelection).load(suiteKey(kind, sourceId, id));

const outcomes = (
  context: Context,
  kind: RulesetSource['kind'],
  id: number,
  period: RuleSuitePeriodValue,
): Promise<RuleOutcomeRow[]> => context.load(loadOutcomes, noSelection).load(outcomeKey(kind, period, id));

@Resolver(() => Organization)
export class OrganizationRuleSuites {
  @Access('org-rule-suites:read')
  @Cost(2, suiteFilterCosts)
  @FieldResolver(() => RuleSuiteConnection, {
    nullable: true,
    description: 'Rule suites of pushes to its repositories, newest first; null if you do not administer it.',
  })
  ruleSuites(
    @Root() row: AccountRow,
    @Args(() => OrganizationRuleSuitesArgs) args: OrganizationRuleSuitesArgs,
    @Ctx() context: Context,
  ): Connection<RuleSuiteRow> | null {
    return mayReadOrganizationField(context, row, 'ruleSuites')
      ? suiteConnection(context, 'organization', row.databaseId, args)
      : null;
  }

  @Access('org-rule-suites:read')
  @Cost(2)
  @FieldResolver(() => RuleSuite, {
    nullable: true,
    description: 'Rule suite with this number; null if there is none, or if you do not administer the organization.',
  })
  ruleSuite(
    @Root() row: AccountRow,
    @SuiteNumber() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> | null {
    return mayReadOrganizationField(context, row, 'ruleSuite')
      ? suiteOf(context, 'organization', row.databaseId, id)
      : null;
  }

  @Cost(8)
  @FieldResolver(() => [RuleOutcome], {
    nullable: true,
    description: `Results by rule, most violations first. ${atMost}; null if you do not administer the organization.`,
  })
  ruleOutcomes(
    @Root() row: AccountRow,
    @Period() period: RuleSuitePeriodValue,
    @Ctx() context: Context,
  ): Promise<RuleOutcomeRow[] | null> | null {
    return mayReadOrganizationField(context, row, 'ruleOutcomes')
      ? outcomes(context, 'organization', row.databaseId, period)
      : null;
  }
}

@Resolver(() => Repository)
export class RepositoryRuleSuites {
  @Access('rule-suites:read')
  @Cost(2, suiteFilterCosts)
  @FieldResolver(() => RuleSuiteConnection, {
    nullable: true,
    description: 'Rule suites of pushes to the repository, newest first; null if you do not administer it.',
  })
  ruleSuites(
    @Root() row: OwnedRow,
    @Args(() => RuleSuitesArgs) args: RuleSuitesArgs,
    @Ctx() context: Context,
  ): Connection<RuleSuiteRow> | null {
    return mayReadField(context, row, 'ruleSuites')
      ? suiteConnection(context, 'repository', row.databaseId, args)
      : null;
  }

  @Access('rule-suites:read')
  @Cost(2)
  @FieldResolver(() => RuleSuite, {
    nullable: true,
    description: 'Rule suite with this number; null if there is none, or if you do not administer the repository.',
  })
  ruleSuite(
    @Root() row: OwnedRow,
    @SuiteNumber() id: number,
    @Ctx() context: Context,
  ): Promise<RuleSuiteRow | null> | null {
    return mayReadField(context, row, 'ruleSuite') ? suiteOf(context, 'repository', row.databaseId, id) : null;
  }

  @Cost(8)
  @FieldResolver(() => [RuleOutcome], {
    nullable: true,
    description: `Results by rule, most violations first. ${atMost}; null if you do not administer the repository.`,
  })
  ruleOutcomes(
    @Root() row: OwnedRow,
    @Period() period: RuleSuitePeriodValue,
    @Ctx() context: Context,
  ): Promise<RuleOutcomeRow[] | null> | null {
    return mayReadField(context, row, 'ruleOutcomes') ? outcomes(context, 'repository', row.databaseId, period) : null;
  }
}
