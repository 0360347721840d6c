import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';
import { MiniUser } from './mini-user.ts';
import { User } from './user.ts';

@Noun('article_comment', 'What somebody wrote under an article, or in reply to another comment there.')
@Index<Comment>('article_comment_by_parent', ['parentId'], { where: c => `${c.parentId} is not null` })
@Index<Comment>('article_comment_by_user', ['userId', 'id'])
@Index<Comment>('article_comment_shown', ['articleId', 'createdAt', 'id'], {
  where: c => `(${c.deletedAt} is null) or (${c.repliesCount} > 0)`,
})
export class Comment {
  @Key('Number of the comment.')
  id!: number;

  @Owner(() => Article, { onDelete: 'cascade', about: 'Number of the article.' })
  articleId!: number;

  /** The row of a deleted account stays, as «Deleted user»: a reply needs something to be a reply to. */
  @Owner(() => User, { onDelete: 'restrict' })
  userId!: number;

  @Computed(() => MiniUser, 'Who wrote it.')
  author!: MiniUser;

  @Computed(() => String, 'Full name of who wrote it.')
  authorName!: string;

  @Owner(() => Comment, {
    onDelete: 'cascade',
    null: true,
    about: 'Number of the comment this one replies to; replies are one level deep.',
  })
  parentId!: number | null;

  @Text({ about: 'Plain text of 1 to 2,000 characters, never markup; empty once the comment is deleted.' })
  text!: string;

  @Integer({ about: 'Replies it has.', default: 0 })
  repliesCount!: number;

  @Moment({ about: 'When it was written.' })
  createdAt!: string;

  @Moment({ hidden: true, null: true })
  deletedAt!: string | null;

  @Computed(() => Boolean, 'Whether the caller wrote it.')
  isMine!: boolean;

  @Computed(() => Boolean, 'Whether it was deleted; it is shown, without its text, as long as it has replies.')
  isDeleted!: boolean;
}

export const CommentPage = pageOf('CommentPage', () => Comment, 'A page of comments.');

@ObjectType({ description: 'A comment of the caller.', simpleResolvers: true })
export class OwnComment {
  @Computed(() => GraphQLSafeInt, 'Number of the comment.')
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleId!: number;

  @Computed(() => String, 'The text.')
  text!: string;

  @Computed(() => Instant, 'When it was written.')
  createdAt!: string;
}
