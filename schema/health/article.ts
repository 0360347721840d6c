import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Choice, Computed, Integer, Key, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Category } from './category.ts';
import { PublisherCode } from './publisher.ts';

@Noun('article', 'A health article for lay readers, from one of the publishers.')
@Unique<Article>('article_source_url_key', ['sourceUrl'])
@Index<Article>('article_by_comment_count', ['commentCount', 'id'], { where: c => `${c.withdrawnAt} is null` })
@Index<Article>('article_by_headline', ['headline', 'id'], { where: c => `${c.withdrawnAt} is null` })
@Index<Article>('article_by_like_count', ['likeCount', 'id'], { where: c => `${c.withdrawnAt} is null` })
@Index<Article>('article_by_published_at', ['publishedAt', 'id'], { where: c => `${c.withdrawnAt} is null` })
@Index<Article>('article_by_read_time_minutes', ['readTimeMinutes', 'id'], { where: c => `${c.withdrawnAt} is null` })
@Index<Article>('article_by_source', ['source', 'publishedAt', 'id'], { where: c => `${c.withdrawnAt} is null` })
@Index<Article>('article_tags', ['tags'], { using: 'gin', where: c => `${c.withdrawnAt} is null` })
export class Article {
  @Key('Number of the article.')
  id!: number;

  @Text({ about: 'Title, at most 300 characters of plain text.' })
  headline!: string;

  @Text({ about: 'What the article says, at most 600 characters of plain text; may be empty.', default: '' })
  summary!: string;

  @Text({ about: 'Absolute address of a picture.', null: true })
  imageUrl!: string | null;

  @Text({ about: 'Who wrote it; may be empty.', default: '' })
  author!: string;

  @Choice(() => PublisherCode, { about: 'Who published it.' })
  source!: string;

  /** The canonical link: two imports of one article meet here. */
  @Text({ about: 'Address of the article at its publisher.', null: true })
  sourceUrl!: string | null;

  @Text({ hidden: true })
  bodyMarkdown!: string;

  @Text({ about: 'The article as sanitised HTML.' })
  body!: string;

  @TextList({ about: 'Terms the article is about: symptoms, conditions, habits.' })
  tags!: string[];

  @Integer({ about: 'Minutes that reading takes, at 200 words a minute; at least 1.' })
  readTimeMinutes!: number;

  @Moment({ about: 'When it was published.' })
  publishedAt!: string;

  @Moment({ about: 'When it was last changed.' })
  updatedAt!: string;

  /** Set when an article is taken back: it stays for those who refer to it and is shown to nobody. */
  @Moment({ hidden: true, null: true })
  withdrawnAt!: string | null;

  @Integer({ about: 'Likes it has.', default: 0 })
  likeCount!: number;

  @Integer({ about: 'Comments it has.', default: 0 })
  commentCount!: number;

  /** For what is recommended to others: how often something is kept is nobody's business one by one. */
  @Integer({ hidden: true, default: 0 })
  bookmarkCount!: number;

  @Computed(() => GraphQLSafeInt, 'How often it has been opened. Counted in batches, so some seconds late.')
  viewCount!: number;

  @Computed(() => Boolean, 'Whether the caller likes it; false for those who are not signed in.')
  isLiked!: boolean;

  @Computed(() => Boolean, 'Whether the caller has it among the bookmarks; false for those who are not signed in.')
  isBookmarked!: boolean;

  @Computed(() => [Category], 'What it is filed under, by name.')
  categories!: Category[];
}

/** Which categories an article is filed under. */
@Entity({ tableName: 'article_category' })
@Index<ArticleCategory>('article_category_category', ['categoryId', 'articleId'])
export class ArticleCategory {
  @Owner(() => Article, { onDelete: 'cascade', key: true })
  articleId!: number;

  @Owner(() => Category, { onDelete: 'restrict', key: true })
  categoryId!: number;
}

export const ArticlePage = pageOf('ArticlePage', () => Article, 'A page of articles.');
