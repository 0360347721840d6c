import { GraphQLSafeInt } from 'graphql-scalars';
import { Computed, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';

@Noun('article_comment', 'Comment on an article, or reply to such a comment.')
@Index<ArticleComment>('article_comment_by_article', ['articleId'])
@Index<ArticleComment>('article_comment_by_parent', ['parentId'], { where: c => `${c.parentId} is not null` })
@Index<ArticleComment>('article_comment_by_user', ['userId', 'id'])
@Index<ArticleComment>('article_comment_shown', ['articleId', 'createdAt', 'id'], {
  where: c => `(${c.deletedAt} is null) or (${c.repliesCount} > 0)`,
})
@Personal({
  what: 'Comments on articles',
  purpose: 'talk about articles',
  kept: 'until you delete it; the text is removed at once',
  seenBy: 'everybody; the name of a person below 18, or of unknown age: people of the same age group',
  inExport: ['comments'],
  left: 'the text, as that of «Deleted user», because others replied to it',
})
export class ArticleComment {
  @Key()
  id!: number;

  @Owner(() => Article, { onDelete: 'cascade' })
  articleId!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleDatabaseId!: number;

  /** `restrict`: the row of a deleted account stays as «Deleted user», because replies refer to its comments. */
  @Owner(() => Person, { onDelete: 'restrict' })
  userId!: number;

  @Computed(() => PersonCard, 'Person who wrote the comment.')
  author!: PersonCard;

  @Computed(
    () => String,
    'Name of the author: the whole one for the author and for connected people. `Blocked user` for one below 18, except to people below 18.',
  )
  authorName!: string;

  @Owner(() => ArticleComment, { onDelete: 'cascade', null: true })
  parentId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Number of the comment that this one replies to; null for a top-level comment.', {
    null: true,
  })
  parentDatabaseId!: number | null;

  @Text({ about: 'Plain text, 1 to 2,000 characters; empty for a deleted comment.' })
  text!: string;

  @Integer({ about: 'Number of replies.', default: 0 })
  repliesCount!: number;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ hidden: true, null: true })
  deletedAt!: string | null;

  @Computed(() => Boolean, 'Whether you are the author.')
  isMine!: boolean;

  @Computed(() => Boolean, 'Whether the comment was deleted. It stays listed, without text, while it has replies.')
  isDeleted!: boolean;
}

export const ArticleCommentConnection = connectionOf('ArticleComment', () => ArticleComment, 'comments');

export const ArticleCommentOrder = sortOrder('ArticleCommentOrder', 'comments', {
  CREATED_AT: 'created_at',
  ID: 'id',
});
