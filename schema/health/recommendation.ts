import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Real, Text } from '../vocabulary/columns.ts';
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

/** Rows are kept, because no article is recommended twice. */
@Noun('article_recommendation', 'Recommendation of an article to you.')
@Unique<Recommendation>('article_recommendation_once', ['userId', 'articleId'])
@Index<Recommendation>('article_recommendation_by_article', ['articleId'])
@Index<Recommendation>('article_recommendation_pending', ['userId', 'score', 'articleId'], {
  where: c => `${c.status} = 'pending'`,
})
@Check<Recommendation>('article_recommendation_status', c => `${c.status} in ('pending', 'seen', 'dismissed')`)
export class Recommendation {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Owner(() => Article, { onDelete: 'cascade' })
  articleId!: number;

  @Real({ about: 'Score, 0 to 1.' })
  score!: number;

  @Text({ about: 'Reason for you. It names your own words and interests only.' })
  reason!: string;

  @Choice(() => RecommendationStatus, { about: 'Status of the recommendation.' })
  status!: RecommendationStatus;

  @Computed(() => DateTime, 'Time of the recommendation.')
  recommendedAt!: string;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true, null: true })
  seenAt!: string | null;
}

export const RecommendationConnection = connectionOf('Recommendation', () => Recommendation, 'recommendations');

/** The article with the fields of its recommendation: flat, as the REST contract publishes it. */
@ObjectType({ description: 'Recommended article with its reason.', simpleResolvers: true })
export class RecommendedArticle extends Article {
  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  databaseId!: number;

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
