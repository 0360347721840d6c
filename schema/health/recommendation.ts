import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Real, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';
import { Category } from './category.ts';
import { Person } from './person.ts';
import { PublisherCode } from './publisher.ts';

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
@Personal({
  what: 'Article recommendations, and whether you saw or dismissed them',
  purpose: 'avoid repeated recommendations',
  kept: 'until the account is deleted',
  seenBy: 'nobody',
  inExport: ['recommendations'],
})
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
export class RecommendedArticle {
  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  databaseId!: number;

  @Computed(() => String, 'Title, at most 300 characters of plain text.')
  headline!: string;

  @Computed(() => String, 'Summary, at most 600 characters of plain text; may be empty.')
  summary!: string;

  @Computed(() => String, 'Absolute URL of a picture; null for none.', { null: true })
  imageUrl!: string | null;

  @Computed(() => String, 'Author; may be empty.')
  author!: string;

  @Computed(() => PublisherCode, 'Code of the publisher.')
  source!: string;

  @Computed(() => String, 'URL of the article at its publisher, or its own address.', { null: true })
  sourceUrl!: string | null;

  @ListSize(20)
  @Computed(() => [Category], 'Categories, ordered by name; at most 20.')
  categories!: Category[];

  @Computed(() => Int, 'Reading time in minutes at 200 words a minute, at least 1.')
  readTimeMinutes!: number;

  @Computed(() => DateTime, 'Time of publication.')
  publishedAt!: string;

  @Computed(() => Int, 'Number of likes.')
  likeCount!: number;

  @Computed(() => Int, 'Number of comments.')
  commentCount!: number;

  @Computed(() => Boolean, 'Whether you like the article.')
  isLiked!: boolean;

  @Computed(() => Boolean, 'Whether you bookmarked the article.')
  isBookmarked!: boolean;

  @Computed(() => GraphQLSafeInt, 'Number of the recommendation.')
  recommendationId!: number;

  @Computed(() => Float, 'Score, 0 to 1.')
  score!: number;

  @Computed(() => String, 'Reason for you; it names your own words and interests only.')
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
