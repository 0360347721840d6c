import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Info,
  InputType,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Article } from '../../../schema/health/article.ts';
import {
  CompanionAnswer,
  CompanionHistory,
  CompanionMessageConnection,
  CompanionSource,
} from '../../../schema/health/companion.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { emptyInputOf, InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { findViewer, type ViewerRow } from '../accounts/accounts.queries.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { type ArticleRow, articlesByIds } from '../articles/articles.queries.ts';
import { InputChecks } from '../input/input-checks.ts';
import { askCompanion, questionLimits } from './ask-companion.ts';
import { clearHistory } from './clear-history.ts';
import { companionMessages, loadHistory, type TurnRow } from './companion.queries.ts';

const [defaultLimit, maxLimit] = [200, 500];

@InputType({ description: 'Input of `askCompanion`.' })
class AskCompanionInput {
  @Limits(questionLimits)
  @Field(() => String, { description: 'Plain text, 1 to 2,000 characters.' })
  message!: string;
}

const ClearCompanionHistoryInput = emptyInputOf('clearCompanionHistory');

const AskCompanionPayload = payloadOf('askCompanion', {
  answer: [() => CompanionAnswer, 'Answer of the companion.'],
});
const ClearCompanionHistoryPayload = payloadOf('clearCompanionHistory', {
  viewer: [() => Person, 'You, without a conversation.'],
});

@Resolver(() => Person)
export class PersonCompanion {
  @Access('companion')
  @FieldResolver(() => CompanionMessageConnection, {
    nullable: true,
    description: 'Messages between you and the companion, the oldest first; at most 1,000 are kept.',
  })
  companionMessages(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context): Connection<TurnRow> {
    const source = companionMessages(context, requirePerson(context.actor).userId);
    return new Connection(CompanionMessageConnection, source, args);
  }
}

@Resolver(() => CompanionSource)
export class CompanionSourceFields {
  @FieldResolver(() => Article, { nullable: true, description: 'Article; null if it has been withdrawn since.' })
  article(
    @Root() source: CompanionSource,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> {
    return context.load(articlesByIds, selectionOf(info)).load(source.articleDatabaseId);
  }
}

@Resolver()
export class CompanionRoots {
  @Access('companion')
  @RestCorner('The contract has a limit of its own. Use `companionMessages` of the person.')
  @Query(() => CompanionHistory, {
    nullable: true,
    description: 'The last `limit` messages between you and the companion, the oldest first.',
  })
  async companionHistory(
    @Arg('limit', () => Int, {
      nullable: true,
      description: `Maximum number, 1 to ${maxLimit}; ${defaultLimit} when absent.`,
    })
    limit: number | null | undefined,
    @Ctx() context: Context,
  ): Promise<{ messages: TurnRow[] }> {
    const checks = new InputChecks();
    if (limit != null && limit < 1) checks.add('limit', 'Ensure this value is greater than or equal to 1.');
    if (limit != null && limit > maxLimit)
      checks.add('limit', `Ensure this value is less than or equal to ${maxLimit}.`);
    checks.assertPassed();
    return { messages: await loadHistory(context, requirePerson(context.actor).userId, limit ?? defaultLimit) };
  }

  @Access('companion')
  @Cost(100)
  @Mutation(() => AskCompanionPayload, {
    nullable: true,
    description:
      'Sends a message to the companion and returns its answer; both are stored. The answer comes from articles or, when configured, from a language model. Where the companion is switched off: `FORBIDDEN` with the reason `companion_off`.',
  })
  async askCompanion(
    @InputArg(() => AskCompanionInput) { message }: AskCompanionInput,
    @Ctx() context: Context,
  ): Promise<{ answer: CompanionAnswer }> {
    return { answer: await askCompanion(context, message) };
  }

  @Access('companion')
  @Mutation(() => ClearCompanionHistoryPayload, {
    nullable: true,
    description: 'Deletes your conversation with the companion permanently.',
  })
  async clearCompanionHistory(
    @InputArg(() => ClearCompanionHistoryInput) _input: object,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ viewer: ViewerRow | null }> {
    await clearHistory(context);
    const { userId } = requirePerson(context.actor);
    return { viewer: await findViewer(context, userId, selectionBelow(info, 'viewer')) };
  }
}
