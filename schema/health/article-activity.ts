import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Computed, Moment, Owner, Whole } from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';
import { User } from './user.ts';

/** That somebody likes an article. `Article.likeCount` is the number of these. */
@Entity({ tableName: 'article_like' })
@Index<ArticleLike>('article_like_newest', ['userId', 'createdAt', 'articleId'])
@Index<ArticleLike>('article_like_of', ['articleId', 'createdAt'])
export class ArticleLike {
  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Moment({ hidden: true })
  createdAt!: string;
}

/** That somebody keeps an article to come back to. `Article.bookmarkCount` is the number of these. */
@Entity({ tableName: 'article_bookmark' })
@Index<ArticleBookmark>('article_bookmark_newest', ['userId', 'createdAt', 'articleId'])
@Index<ArticleBookmark>('article_bookmark_of', ['articleId', 'createdAt'])
export class ArticleBookmark {
  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Moment({ hidden: true })
  createdAt!: string;
}

/** How often an article was opened, and not by whom. */
@Entity({ tableName: 'article_view' })
export class ArticleView {
  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Whole({ hidden: true })
  views!: number;
}

@ObjectType({ description: 'What became of a like.', simpleResolvers: true })
export class ToggledLike {
  @Computed(() => Boolean, 'Whether the caller likes the article now.')
  liked!: boolean;

  @Computed(() => Int, 'Likes the article has now.')
  likeCount!: number;
}

@ObjectType({ description: 'What became of a bookmark.', simpleResolvers: true })
export class ToggledBookmark {
  @Computed(() => Boolean, 'Whether the caller has the article among the bookmarks now.')
  bookmarked!: boolean;

  @Computed(() => String, 'The same in a sentence.')
  detail!: string;
}

@ObjectType({ description: 'An article that the caller likes or keeps.', simpleResolvers: true })
export class MarkedArticle {
  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleId!: number;

  @Computed(() => String, 'Its title.')
  headline!: string;

  @Computed(() => Instant, 'Since when.')
  at!: string;
}
