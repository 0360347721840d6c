import type { GraphQLResolveInfo } from 'graphql';
import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Article, RecommendedArticleOrder } from '../../../schema/health/article.ts';
import { Person } from '../../../schema/health/person.ts';
import {
  Recommendation,
  RecommendationConnection,
  RecommendedArticleConnection,
} from '../../../schema/health/recommendation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { emptyInputOf, InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { findViewer, type ViewerRow } from '../accounts/accounts.queries.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { articleSearchField } from '../articles/article-arguments.ts';
import { type ArticleRow, articlesByIds } from '../articles/articles.queries.ts';
import { orderByField } from '../lists/argument-fields.ts';
import { readEffect } from '../reads/read-effect.ts';
import { dismissRecommendation } from './dismiss-recommendation.ts';
import { ensureRecommendations } from './recommend-articles.ts';
import {
  articlesRecommendedTo,
  type RecommendationRow,
  type RecommendedRow,
  recommendationsFor,
} from './recommendations.queries.ts';

@ArgsType()
class RecommendationsArgs extends ConnectionArgs {
  @articleSearchField() search?: string | null;
}

@ArgsType()
class RecommendedArticlesArgs extends RecommendationsArgs {
  @orderByField(() => RecommendedArticleOrder, 'best score first') orderBy?: string[] | null;
}

@InputType({ description: 'Input of `dismissRecommendation`.' })
class DismissRecommendationInput {
  @Field(() => ID, { description: 'Recommendation to dismiss.' }) recommendationId!: string;
}

const RefreshRecommendationsInput = emptyInputOf('refreshRecommendations');

const DismissRecommendationPayload = payloadOf('dismissRecommendation', {
  recommendation: [() => Recommendation, 'Recommendation, which is dismissed now.'],
});
const RefreshRecommendationsPayload = payloadOf('refreshRecommendations', {
  person: [() => Person, 'You, with your recommendations.'],
});

@Resolver(() => Person)
export class PersonRecommendations {
  @Access('verified')
  @Cost(5, { search: 50 })
  @FieldResolver(() => RecommendationConnection, {
    nullable: true,
    description: 'Pending recommendations, best score first. `refreshRecommendations` adds more.',
  })
  recommendations(
    @Args(() => RecommendationsArgs) args: RecommendationsArgs,
    @Ctx() context: Context,
  ): Connection<RecommendationRow> {
    const { userId } = requirePerson(context.actor);
    return new Connection(RecommendationConnection, recommendationsFor(context, userId, args), args);
  }
}

@Resolver(() => Recommendation)
export class RecommendationFields {
  @FieldResolver(() => Article, { nullable: true, description: 'Article; null if it was withdrawn.' })
  async article(
    @Root() { article }: RecommendationRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> {
    return article === undefined ? null : context.load(articlesByIds, selectionOf(info)).load(article);
  }
}

@Resolver()
export class RecommendationRoots {
  @RestCorner(
    'A GET creates recommendations there. Use `recommendations` of the person, and `refreshRecommendations` to create.',
  )
  @Access('verified')
  @Cost(100, { search: 100 })
  @Query(() => RecommendedArticleConnection, {
    nullable: true,
    description:
      'Your pending recommendations, each beside its article. Creates more first when there are fewer than five.',
  })
  async recommendedArticles(
    @Args(() => RecommendedArticlesArgs) args: RecommendedArticlesArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RecommendedRow>> {
    const { userId } = requirePerson(context.actor);
    await readEffect(context, () => ensureRecommendations(context, userId));
    return new Connection(RecommendedArticleConnection, articlesRecommendedTo(context, userId, args), args);
  }

  @Access('verified')
  @Cost(100)
  @Mutation(() => RefreshRecommendationsPayload, {
    nullable: true,
    description: 'Adds recommendations if you have fewer than five pending ones.',
  })
  async refreshRecommendations(
    @InputArg(() => RefreshRecommendationsInput) _input: object,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ person: ViewerRow | null }> {
    const { userId } = requirePerson(context.actor);
    await ensureRecommendations(context, userId);
    return { person: await findViewer(context, userId, selectionBelow(info, 'person')) };
  }

  @Access('verified')
  @Mutation(() => DismissRecommendationPayload, {
    nullable: true,
    description: 'Dismisses a recommendation permanently.',
  })
  async dismissRecommendation(
    @InputArg(() => DismissRecommendationInput) { recommendationId }: DismissRecommendationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ recommendation: RecommendationRow }> {
    const id = numberOfId('Recommendation', recommendationId, 'recommendationId');
    return { recommendation: await dismissRecommendation(context, id, selectionBelow(info, 'recommendation')) };
  }
}
