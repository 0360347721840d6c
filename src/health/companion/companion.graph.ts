import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { CompanionAnswer, CompanionMessage } from '../../../schema/health/companion.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { InputChecks } from '../input/input-checks.ts';
import { askCompanion, type CompanionAnswerRow } from './ask-companion.ts';
import { clearHistory } from './clear-history.ts';
import { loadHistory, type TurnRow } from './companion.queries.ts';

const [defaultLimit, maxLimit] = [200, 500];

@Resolver()
export class CompanionRoots {
  @Access('companion')
  @Query(() => [CompanionMessage], {
    description:
      'What the caller and the companion have said, the oldest turn first: the last ones, as many as `limit`.',
  })
  companionHistory(
    @Arg('limit', () => Int, {
      nullable: true,
      description: `How many, at most ${maxLimit}; ${defaultLimit} when absent.`,
    })
    limit: number | null | undefined,
    @Ctx() context: Context,
  ): Promise<TurnRow[]> {
    const checks = new InputChecks();
    if (limit != null && limit < 1) checks.add('limit', 'Ensure this value is greater than or equal to 1.');
    if (limit != null && limit > maxLimit)
      checks.add('limit', `Ensure this value is less than or equal to ${maxLimit}.`);
    checks.assertPassed();
    return loadHistory(context, requirePerson(context.actor).userId, limit ?? defaultLimit);
  }

  @Access('companion')
  @Cost(100)
  @Mutation(() => CompanionAnswer, {
    description:
      'Says something to the companion and gives its answer; both are stored. It answers from the articles, and from a language model where one is set.',
  })
  askCompanion(
    @Arg('message', () => String, { description: 'Plain text of 1 to 2,000 characters.' }) message: string,
    @Ctx() context: Context,
  ): Promise<CompanionAnswerRow> {
    return askCompanion(context, message);
  }

  @Access('companion')
  @Mutation(() => Boolean, {
    description: "Deletes the caller's conversations with the companion for good. True, with or without any.",
  })
  async clearCompanionHistory(@Ctx() context: Context): Promise<boolean> {
    await clearHistory(context);
    return true;
  }
}
