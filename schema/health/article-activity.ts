import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, ObjectType } from 'type-graphql';
import { Computed, Moment, Owner, Whole } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';
import { Person } from './person.ts';

/** Like of an article. `Article.likeCount` is the number of these rows. */
@Entity({ tableName: 'article_like' })
@Index<ArticleLike>('article_like_newest', ['userId', 'createdAt', 'articleId'])
@Index<ArticleLike>('article_like_of', ['articleId', 'createdAt'])
@Personal({
  what: 'Likes of articles',
  purpose: 'show and count likes',
  kept: 'until you remove the like or delete the account',
  seenBy: 'nobody; the number of likes is public',
  inExport: ['likes'],
})
export class ArticleLike {
  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Moment({ hidden: true })
  createdAt!: string;
}

/** Bookmark of an article. `Article.bookmarkCount` is the number of these rows. */
@Entity({ tableName: 'article_bookmark' })
@Index<ArticleBookmark>('article_bookmark_newest', ['userId', 'createdAt', 'articleId'])
@Index<ArticleBookmark>('article_bookmark_of', ['articleId', 'createdAt'])
@Personal({
  what: 'Bookmarks of articles',
  purpose: 'find them again',
  kept: 'until you remove the bookmark or delete the account',
  seenBy: 'nobody; the number of bookmarks is public',
  inExport: ['bookmarks'],
})
export class ArticleBookmark {
  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Moment({ hidden: true })
  createdAt!: string;

  /** When the person opened the article after a correction. */
  @Moment({ hidden: true, null: true })
  correctionSeenAt!: string | null;
}

/** Number of views of an article, without the viewers. */
@Entity({ tableName: 'article_view' })
@Retained<ArticleView>({ rows: 'as long as the article: one row for each' })
export class ArticleView {
  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Whole({ hidden: true })
  views!: number;
}

@ObjectType({ description: 'Payload of `toggleLike`.', simpleResolvers: true })
export class ToggleLikePayload {
  @Computed(() => Boolean, 'Whether you like the article now.')
  liked!: boolean;

  @Computed(() => Int, 'Number of likes of the article after the change.')
  likeCount!: number;
}

@ObjectType({ description: 'Payload of `toggleBookmark`.', simpleResolvers: true })
export class ToggleBookmarkPayload {
  @Computed(() => Boolean, 'Whether you have a bookmark of the article now.')
  bookmarked!: boolean;

  @Computed(() => String, 'Outcome as a sentence for users.')
  detail!: string;
}
