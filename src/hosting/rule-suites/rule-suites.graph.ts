import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RuleEvaluation, RuleOutcome, RuleSuite } from '../../../schema/hosting/rule-suite.ts';
import { RepositoryRuleset } from '../../../schema/hosting/ruleset.ts';
import { GitObjectId } from '../../../schema/vocabulary/git-scalars.ts';
import type { Context } from '../../context/context.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { type RulesetRow, rulesetsByIds } from '../rulesets/rulesets.queries.ts';
import type { RuleOutcomeRow } from './rule-outcomes.queries.ts';
import { type EvaluationRow, loadEvaluations, type RuleSuiteRow } from './rule-suites.queries.ts';

@Resolver(() => RuleSuite)
export class RuleSuiteFields {
  @FieldResolver(() => GitObjectId, { nullable: true, description: 'Object id before the push; null for a new ref.' })
  beforeOid(@Root() { beforeOid }: RuleSuiteRow): string | null {
    return beforeOid;
  }

  @FieldResolver(() => GitObjectId, { nullable: true, description: 'Object id after the push; null for a deletion.' })
  afterOid(@Root() { afterOid }: RuleSuiteRow): string | null {
    return afterOid;
  }

  @FieldResolver(() => User, { nullable: true, description: 'User who pushed; null for an app.' })
  actor(
    @Root() { actorDatabaseId }: RuleSuiteRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return actorDatabaseId === null ? null : context.load(accountsByIds, selectionOf(info)).load(actorDatabaseId);
  }

  @FieldResolver(() => Repository, { nullable: true, description: 'Repository; null if you cannot see it.' })
  repository(
    @Root() { repositoryDatabaseId }: RuleSuiteRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesByIds, selectionOf(info)).load(repositoryDatabaseId);
  }

  @FieldResolver(() => [RuleEvaluation], { description: 'Results of the rules, in evaluation order.' })
  evaluations(@Root() { databaseId }: RuleSuiteRow, @Ctx() context: Context): Promise<EvaluationRow[]> {
    return context.load(loadEvaluations, noSelection).load(databaseId);
  }
}

@Resolver(() => RuleEvaluation)
export class RuleEvaluationFields {
  @FieldResolver(() => RepositoryRuleset, {
    nullable: true,
    description: 'Ruleset; null if it is deleted, if you cannot see it, and for a protected branch.',
  })
  ruleset(@Root() { rulesetId }: EvaluationRow, @Ctx() context: Context): Promise<RulesetRow | null> | null {
    return rulesetId === null ? null : context.load(rulesetsByIds, noSelection).load(rulesetId);
  }

  @FieldResolver(() => Boolean, { description: 'Whether the ruleset has been deleted since.' })
  isRulesetDeleted(@Root() { isRulesetDeleted }: EvaluationRow): boolean {
    return isRulesetDeleted;
  }
}

@Resolver(() => RuleOutcome)
export class RuleOutcomeFields {
  @FieldResolver(() => RepositoryRuleset, {
    nullable: true,
    description: 'Ruleset; null if it is deleted, if you cannot see it, and for a protected branch.',
  })
  ruleset(@Root() { rulesetId }: RuleOutcomeRow, @Ctx() context: Context): Promise<RulesetRow | null> | null {
    return rulesetId === null ? null : context.load(rulesetsByIds, noSelection).load(rulesetId);
  }
}
