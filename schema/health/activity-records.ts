import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { RecommendationStatus } from './recommendation.ts';

/** Records of the data export about articles and ads. Each keeps the text that was exported; what it names may be gone. */
const idOf = (what: string) => Field(() => ID, { description: `Global id of ${what}.` });

@ObjectType({ description: 'Article that you liked or bookmarked.', simpleResolvers: true })
export class MarkedArticleRecord {
  @idOf('the article')
  articleId!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleDatabaseId!: number;

  @Computed(() => String, 'Title of the article.')
  headline!: string;

  @Computed(() => DateTime, 'When the article was liked or bookmarked.')
  markedAt!: string;

  @Computed(() => DateTime, 'When you opened it after a correction; null for likes, and where you did not.', {
    null: true,
  })
  correctionSeenAt!: string | null;
}

@ObjectType({ description: 'Comment that you wrote.', simpleResolvers: true })
export class CommentRecord {
  @Computed(() => GraphQLSafeInt, 'Number of the comment.')
  databaseId!: number;

  @idOf('the comment')
  commentId!: string;

  @idOf('the article')
  articleId!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleDatabaseId!: number;

  @Computed(() => String, 'Text of the comment.')
  text!: string;

  @Computed(() => DateTime, 'When the comment was written.')
  createdAt!: string;
}

@ObjectType({ description: 'Recommendation of an article to you.', simpleResolvers: true })
export class RecommendationRecord {
  @idOf('the article')
  articleId!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleDatabaseId!: number;

  @Computed(() => Float, 'Score, 0 to 1.')
  score!: number;

  @Computed(() => String, 'Reason for the recommendation.')
  reason!: string;

  @Computed(() => RecommendationStatus, 'Status of the recommendation.')
  status!: RecommendationStatus;

  @Computed(() => DateTime, 'When the article was recommended.')
  recommendedAt!: string;

  @Computed(() => DateTime, 'When the article was opened, liked or bookmarked; null for never.', { null: true })
  seenAt!: string | null;
}

@ObjectType({ description: 'Ad that you clicked.', simpleResolvers: true })
export class AdClickRecord {
  @idOf('the ad')
  adId!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the ad.')
  adDatabaseId!: number;

  @Computed(() => String, 'Title of the ad.')
  title!: string;

  @Computed(() => GraphQLSafeInt, 'Number of all clicks.')
  totalClickCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of clicks that counted.')
  clickCount!: number;

  @Computed(() => DateTime, 'When the ad was first clicked.')
  firstClickedAt!: string;

  @Computed(() => DateTime, 'When the last click that counted was.')
  lastClickedAt!: string;

  @Computed(() => DateTime, 'When the last of all clicks was; null where it was not stored.', { null: true })
  latestClickAt!: string | null;
}
