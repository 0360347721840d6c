import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { CompanionAnswer, CompanionMessage } from '../../../schema/health/companion.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { InputChecks } from '../input/input-checks.ts';
import { askCompanion } from './ask-companion.ts';
import { clearHistory } from './clear-history.ts';
import { loadHistory, type TurnRow } from './companion.queries.ts';

const [defaultLimit, maxLimit] = [200, 500];

@Resolver()
export class CompanionRoots {
  @Access('companion')
  @Query(() => [CompanionMessage], {
    description: 'The last `limit` messages between the caller and the companion, the oldest first.',
  })
  companionHistory(
    @Arg('limit', () => Int, {
      nullable: true,
      description: `Maximum number, 1 to ${maxLimit}; ${defaultLimit} when absent.`,
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
      'Sends a message to the companion and returns its answer; both are stored. The answer comes from articles or, when configured, from a language model.',
  })
  askCompanion(
    @Arg('message', () => String, { description: 'Plain text, 1 to 2,000 characters.' }) message: string,
    @Ctx() context: Context,
  ): Promise<CompanionAnswer> {
    return askCompanion(context, message);
  }

  @Access('companion')
  @Mutation(() => Boolean, {
    description: "Deletes the caller's companion history permanently. Always true.",
  })
  async clearCompanionHistory(@Ctx() context: Context): Promise<boolean> {
    await clearHistory(context);
    return true;
  }
}
