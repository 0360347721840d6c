import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Extensions } from 'type-graphql';
import { Choice, Computed, Day, Integer, Key, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Category } from './category.ts';
import { PublisherCode } from './publisher.ts';

@Noun('article', 'Health article for lay readers, from one of the publishers.')
@Index<Article>('article_source_url', ['sourceUrl'])
@Index<Article>('article_entry', ['source', 'entryId'], { unique: true, where: c => `${c.entryId} is not null` })
@Index<Article>('article_by_comment_count', ['commentCount', 'id'], {
  include: ['source', 'publishedAt'],
  where: c => `${c.withdrawnAt} is null`,
})
@Index<Article>('article_by_headline', ['headline', 'id'], {
  include: ['source', 'publishedAt'],
  where: c => `${c.withdrawnAt} is null`,
})
@Index<Article>('article_by_id', ['id'], { include: ['source', 'publishedAt'], where: c => `${c.withdrawnAt} is null` })
@Index<Article>('article_by_like_count', ['likeCount', 'id'], {
  include: ['source', 'publishedAt'],
  where: c => `${c.withdrawnAt} is null`,
})
@Index<Article>('article_by_published_at', ['publishedAt', 'id'], {
  include: ['source'],
  where: c => `${c.withdrawnAt} is null`,
})
@Index<Article>('article_by_read_time_minutes', ['readTimeMinutes', 'id'], {
  include: ['source', 'publishedAt'],
  where: c => `${c.withdrawnAt} is null`,
})
@Index<Article>('article_by_source', ['source', 'publishedAt', 'id'], { where: c => `${c.withdrawnAt} is null` })
@Check<Article>('article_review', c => `(${c.reviewer} is null) = (${c.reviewedAt} is null)`)
@Index<Article>('article_tags', ['tags'], { using: 'gin', where: c => `${c.withdrawnAt} is null` })
@Retained<Article>({ rows: 'until the operator deletes the article' })
export class Article {
  @Key()
  id!: number;

  @Text({ about: 'Title, at most 300 characters of plain text.' })
  headline!: string;

  @Text({ about: 'Summary, at most 600 characters of plain text; may be empty.', default: '' })
  summary!: string;

  @Text({ about: 'Absolute URL of a picture; null for none.', null: true })
  imageUrl!: string | null;

  @Text({ about: 'Author; may be empty.', default: '' })
  author!: string;

  @Choice(() => PublisherCode, { about: 'Code of the publisher.' })
  source!: string;

  /** The canonical URL. Two entries of a feed may have one. */
  @Text({ about: 'URL of the article at its publisher, or its own address.', null: true })
  sourceUrl!: string | null;

  /** guid or atom:id of the entry, which identifies it at its publisher. */
  @Text({ hidden: true, null: true })
  entryId!: string | null;

  /** The newest date that the entry has: an import does not replace a version by an older one. */
  @Moment({ hidden: true, null: true })
  versionAt!: string | null;

  /** Date of the feed that the version was in, which orders versions that have the same dates. */
  @Moment({ hidden: true, null: true })
  feedWrittenAt!: string | null;

  @Text({ hidden: true })
  bodyMarkdown!: string;

  @Text({ about: 'Body as sanitised HTML.' })
  body!: string;

  @TextList({ about: 'Tags: symptoms, conditions, habits.' })
  tags!: string[];

  @Integer({ about: 'Reading time in minutes at 200 words a minute, at least 1.' })
  readTimeMinutes!: number;

  @Moment({ about: 'Time of publication.' })
  publishedAt!: string;

  @Moment({ about: 'Time of the last change.' })
  updatedAt!: string;

  @Moment({ about: 'Time of the last correction of the text; null where none is known.', null: true })
  correctedAt!: string | null;

  @Text({ about: 'Language tag such as `en`; null where it is not known.', null: true })
  language!: string | null;

  @Text({ about: 'Clinician or body that reviewed the article; null where nobody did.', null: true })
  reviewer!: string | null;

  @Day({ about: 'Date of the last review; null where nobody reviewed it.', null: true })
  reviewedAt!: string | null;

  /** Set when an article is withdrawn: the row stays for its references and no list or look-up returns it. */
  @Moment({ hidden: true, null: true })
  withdrawnAt!: string | null;

  @Integer({ about: 'Number of likes.', default: 0 })
  likeCount!: number;

  @Integer({ about: 'Number of comments.', default: 0 })
  commentCount!: number;

  /** Input of recommendations. Hidden, because bookmarks are private. */
  @Integer({ hidden: true, default: 0 })
  bookmarkCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of views. Counted in batches, hence some seconds late.')
  viewCount!: number;

  @Computed(() => Boolean, 'Whether you like the article; false for anonymous callers.')
  isLiked!: boolean;

  @Computed(() => Boolean, 'Whether you bookmarked the article; false for anonymous callers.')
  isBookmarked!: boolean;

  /** An import stores at most 20. */
  @Extensions({ listSize: 20 })
  @Computed(() => [Category], 'Categories, ordered by name; at most 20.')
  categories!: Category[];
}

/** Category of an article. */
@Entity({ tableName: 'article_category' })
@Index<ArticleCategory>('article_category_category', ['categoryId', 'articleId'])
@Index<ArticleCategory>('article_category_newest', ['categoryId', 'publishedAt', 'articleId'], {
  include: ['source'],
  where: c => `${c.withdrawnAt} is null`,
})
@Retained<ArticleCategory>({ rows: 'as long as the article' })
export class ArticleCategory {
  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Owner(() => Category, { onDelete: 'restrict', key: true })
  categoryId!: number;

  /** Copies of the article's columns, which triggers keep: lists of a category are filtered and ordered by them. */
  @Text({ hidden: true })
  source!: string;

  @Moment({ hidden: true })
  publishedAt!: string;

  @Moment({ hidden: true, null: true })
  withdrawnAt!: string | null;
}

export const ArticleConnection = connectionOf('Article', () => Article, 'articles');

export const BookmarkConnection = connectionOf('Bookmark', () => Article, 'bookmarked articles', {
  edgeFields: {
    bookmarkedAt: [() => DateTime, 'Time of the bookmark.'],
    unseenCorrectionAt: [
      () => DateTime,
      'Time of a correction since you bookmarked the article, until you open it; null for none.',
      { null: true },
    ],
  },
});

const articleKeys = {
  PUBLISHED_AT: 'published_at',
  LIKE_COUNT: 'like_count',
  COMMENT_COUNT: 'comment_count',
  READ_TIME_MINUTES: 'read_time_minutes',
  HEADLINE: 'headline',
  ID: 'id',
};

export const ArticleOrder = sortOrder('ArticleOrder', 'articles', articleKeys);

export const BookmarkOrder = sortOrder('BookmarkOrder', 'bookmarked articles', {
  BOOKMARKED_AT: 'bookmarked_at',
  ...articleKeys,
});

export const RecommendedArticleOrder = sortOrder('RecommendedArticleOrder', 'recommended articles', {
  SCORE: 'score',
  RECOMMENDED_AT: 'recommended_at',
  ...articleKeys,
});
