import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Mutation, Query, Resolver } from 'type-graphql';
import { DismissedRecommendation, RecommendedArticleConnection } from '../../../schema/health/recommendation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { bestEffort } from '../reads/best-effort.ts';
import { dismissRecommendation } from './dismiss-recommendation.ts';
import { ensureRecommendations } from './recommend-articles.ts';
import { articlesRecommendedTo, type RecommendedRow } from './recommendations.queries.ts';

@ArgsType()
class RecommendedArgs extends ConnectionArgs {
  @Field(() => String, { nullable: true, description: 'Search as in `articles`.' })
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Sort keys as in `articles`, and score and recommended_at; the best score first by default.',
  })
  ordering?: string | null;
}

@Resolver()
export class RecommendationRoots {
  @Access('verified')
  @Cost(100, { search: 100 })
  @Query(() => RecommendedArticleConnection, {
    description: 'Pending recommendations of the caller. Creates more first when there are fewer than five.',
  })
  async recommendedArticles(
    @Args(() => RecommendedArgs) args: RecommendedArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RecommendedRow>> {
    const { userId } = requirePerson(context.actor);
    await bestEffort(ensureRecommendations(context, userId));
    return new Connection(RecommendedArticleConnection, articlesRecommendedTo(context, userId, args), args);
  }

  @Access('verified')
  @Mutation(() => DismissedRecommendation, {
    description: 'Dismisses a recommendation permanently.',
  })
  dismissRecommendation(
    @Arg('id', () => GraphQLSafeInt, { description: 'Id of the recommendation.' }) id: number,
    @Ctx() context: Context,
  ): Promise<DismissedRecommendation> {
    return dismissRecommendation(context, id);
  }
}
