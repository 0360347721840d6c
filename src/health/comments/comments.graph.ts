import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { Article } from '../../../schema/health/article.ts';
import { ArticleComment, ArticleCommentConnection, ArticleCommentOrder } from '../../../schema/health/comment.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { type ArticleRow, articlesByIds } from '../articles/articles.queries.ts';
import { asOfField, orderByField, searchField } from '../lists/argument-fields.ts';
import { noticeOfText } from '../safety/safety-notice.ts';
import { type Heard, safetyResolvers, withSafety } from '../safety/written-safety.ts';
import { type CommentRow, commentsByIds, commentsOf, repliesTo } from './comments.queries.ts';
import { deleteComment } from './delete-comment.ts';
import { commentTextLimits, writeComment } from './write-comment.ts';

@ArgsType()
class CommentsArgs extends ConnectionArgs {
  @searchField('the text') search?: string | null;
  @optionalField(() => Boolean, 'Whether the comments are replies; both when absent.') isReply?: boolean | null;
  @orderByField(() => ArticleCommentOrder, 'oldest first') orderBy?: string[] | null;
  @asOfField() asOf?: string | null;
}

@InputType({ description: 'Input of `addArticleComment`.' })
class AddArticleCommentInput {
  @Field(() => ID, { description: 'Article to comment on.' }) articleId!: string;
  @Limits(commentTextLimits)
  @Field(() => String, { description: 'Plain text, 1 to 2,000 characters.' })
  text!: string;
  @optionalField(() => ID, 'Comment to reply to. A reply to a reply gets the same parent.') parentId?: string | null;
}

@InputType({ description: 'Input of `deleteArticleComment`.' })
class DeleteArticleCommentInput {
  @Field(() => ID, { description: 'Comment to delete.' }) commentId!: string;

  @optionalField(() => ID, 'Article of the comment; a comment of another article is not found.')
  articleId?: string | null;
}

const AddArticleCommentPayload = payloadOf('addArticleComment', {
  comment: [() => ArticleComment, 'Comment or reply that was added.'],
});
export const commentSafety = safetyResolvers(ArticleComment, AddArticleCommentPayload);
const DeleteArticleCommentPayload = payloadOf('deleteArticleComment', {
  deletedId: [() => ID, 'Global id of the deleted comment.'],
});

@Resolver(() => Article)
export class ArticleComments {
  @Access('account')
  @Cost(2, { search: 100 })
  @FieldResolver(() => ArticleCommentConnection, {
    nullable: true,
    description: 'Comments and replies, oldest first. People in a block with you are left out.',
  })
  comments(
    @Root() article: ArticleRow,
    @Args(() => CommentsArgs) args: CommentsArgs,
    @Ctx() context: Context,
  ): Connection<CommentRow> {
    return new Connection(ArticleCommentConnection, commentsOf(context, article.databaseId, args), args);
  }
}

@Resolver(() => ArticleComment)
export class CommentFields {
  @FieldResolver(() => Article, { nullable: true, description: 'Article; null if it was withdrawn.' })
  async article(
    @Root() comment: CommentRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> {
    const { article } = comment;
    return article === undefined ? null : context.load(articlesByIds, selectionOf(info)).load(article);
  }

  @FieldResolver(() => ArticleComment, {
    nullable: true,
    description: 'Comment that this one replies to; null for a top-level comment. Replies have no replies.',
  })
  async parent(
    @Root() comment: CommentRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommentRow | null> {
    const { parent } = comment;
    return typeof parent === 'number' ? context.load(commentsByIds, selectionOf(info)).load(parent) : null;
  }

  @FieldResolver(() => ArticleCommentConnection, { description: 'Replies, oldest first.' })
  replies(
    @Root() comment: CommentRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<CommentRow> {
    return new Connection(ArticleCommentConnection, repliesTo(context, comment.databaseId), args);
  }
}

@Resolver()
export class CommentRoots {
  @Access('verified')
  @Mutation(() => AddArticleCommentPayload, {
    nullable: true,
    description: 'Adds a comment to an article, or a reply to a comment.',
  })
  async addArticleComment(
    @InputArg(() => AddArticleCommentInput) { articleId, text, parentId }: AddArticleCommentInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ comment: CommentRow } & Heard> {
    const added = {
      articleId: numberOfId('Article', articleId, 'articleId'),
      text,
      parentId: parentId ? numberOfId('ArticleComment', parentId, 'parentId') : null,
    };
    const comment = await writeComment(context, added, selectionBelow(info, 'comment'));
    return withSafety('comment', comment, () => noticeOfText(context, [text]));
  }

  @Access('verified')
  @Mutation(() => DeleteArticleCommentPayload, {
    nullable: true,
    description: 'Deletes one of your comments permanently.',
  })
  async deleteArticleComment(
    @InputArg(() => DeleteArticleCommentInput) { commentId, articleId }: DeleteArticleCommentInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const article = articleId ? numberOfId('Article', articleId, 'articleId') : null;
    await deleteComment(context, numberOfId('ArticleComment', commentId, 'commentId'), article);
    return { deletedId: commentId };
  }
}
