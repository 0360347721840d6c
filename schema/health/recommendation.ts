import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Owner, Real, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';
import { User } from './user.ts';

export const RecommendationStatus = { PENDING: 'pending', SEEN: 'seen', DISMISSED: 'dismissed' } as const;
export type RecommendationStatus = (typeof RecommendationStatus)[keyof typeof RecommendationStatus];
registerEnumType(RecommendationStatus, {
  name: 'RecommendationStatus',
  description: 'What became of a recommendation: not looked at yet, opened (or liked, or kept), or sent away.',
});

/** That an article was recommended to somebody, and why. Nothing is recommended twice, so these rows are also its memory. */
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

  @Owner(() => User, { onDelete: 'cascade' })
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

/** Flat, because it is published so: the article itself, and what recommends it. */
@ObjectType({ description: 'An article that is recommended to the caller, and why.', simpleResolvers: true })
export class RecommendedArticle extends Article {
  @Computed(() => GraphQLSafeInt, 'Number of the recommendation.')
  recommendationId!: number;

  @Computed(() => Float, 'How well it fits, 0 to 1.')
  score!: number;

  @Computed(() => String, "Why, for the caller to read: it names nothing but the caller's own words and interests.")
  reason!: string;

  @Computed(() => RecommendationStatus, 'What became of it.')
  status!: string;

  @Computed(() => Instant, 'When it was recommended.')
  recommendedAt!: string;
}

export const RecommendedArticlePage = pageOf(
  'RecommendedArticlePage',
  () => RecommendedArticle,
  'A page of recommended articles.',
);

@ObjectType({ description: 'A recommendation that was sent away.', simpleResolvers: true })
export class DismissedRecommendation {
  @Computed(() => GraphQLSafeInt, 'Number of the recommendation.')
  recommendationId!: number;

  @Computed(() => RecommendationStatus, 'What became of it.')
  status!: string;

  @Computed(() => String, 'The same in a sentence.')
  detail!: string;
}

@ObjectType({ description: 'What was recommended to the caller.', simpleResolvers: true })
export class RecommendationRecord {
  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleId!: number;

  @Computed(() => Float, 'How well it fitted, 0 to 1.')
  score!: number;

  @Computed(() => String, 'Why.')
  reason!: string;

  @Computed(() => RecommendationStatus, 'What became of it.')
  status!: string;

  @Computed(() => Instant, 'When it was recommended.')
  recommendedAt!: string;

  @Computed(() => Instant, 'When it was opened, liked or kept.', { null: true })
  seenAt!: string | null;
}
