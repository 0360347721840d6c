import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Owner, Real, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';
import { Person } from './person.ts';

export const RecommendationStatus = { PENDING: 'pending', SEEN: 'seen', DISMISSED: 'dismissed' } as const;
export type RecommendationStatus = (typeof RecommendationStatus)[keyof typeof RecommendationStatus];
registerEnumType(RecommendationStatus, {
  name: 'RecommendationStatus',
  description: 'Status of a recommendation: pending, seen (opened, liked or bookmarked), or dismissed.',
});

/** Recommendation of an article to a person. Rows are kept, because no article is recommended twice. */
@Entity({ tableName: 'article_recommendation' })
@Unique<ArticleRecommendation>('article_recommendation_once', ['userId', 'articleId'])
@Index<ArticleRecommendation>('article_recommendation_by_article', ['articleId'])
@Index<ArticleRecommendation>('article_recommendation_pending', ['userId', 'score', 'articleId'], {
  where: c => `${c.status} = 'pending'`,
})
@Check<ArticleRecommendation>('article_recommendation_status', c => `${c.status} in ('pending', 'seen', 'dismissed')`)
export class ArticleRecommendation {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Owner(() => Article, { onDelete: 'cascade' })
  articleId!: number;

  @Real({ hidden: true })
  score!: number;

  @Text({ hidden: true })
  reason!: string;

  @Choice(() => RecommendationStatus, { hidden: true })
  status!: RecommendationStatus;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true, null: true })
  seenAt!: string | null;
}

/** The article with the fields of its recommendation: flat, as the REST contract publishes it. */
@ObjectType({ description: 'Recommended article with its reason.', simpleResolvers: true })
export class RecommendedArticle extends Article {
  @Computed(() => GraphQLSafeInt, 'Number of the recommendation.')
  recommendationId!: number;

  @Computed(() => Float, 'Score, 0 to 1.')
  score!: number;

  @Computed(() => String, "Reason for the caller; it names the caller's own words and interests only.")
  reason!: string;

  @Computed(() => RecommendationStatus, 'Status of the recommendation.')
  status!: string;

  @Computed(() => DateTime, 'Time of the recommendation.')
  recommendedAt!: string;
}

export const RecommendedArticleConnection = connectionOf(
  'RecommendedArticle',
  () => RecommendedArticle,
  'recommended articles',
);

@ObjectType({ description: 'Dismissed recommendation.', simpleResolvers: true })
export class DismissedRecommendation {
  @Computed(() => GraphQLSafeInt, 'Number of the recommendation.')
  recommendationId!: number;

  @Computed(() => RecommendationStatus, 'Status of the recommendation.')
  status!: string;

  @Computed(() => String, 'Outcome as a sentence for users.')
  detail!: string;
}
