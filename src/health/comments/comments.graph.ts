import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { ArticleComment, ArticleCommentConnection } from '../../../schema/health/comment.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { orderingField, searchField } from '../lists/argument-fields.ts';
import { type CommentRow, commentOrdering, commentsOf } from './comments.queries.ts';
import { deleteComment } from './delete-comment.ts';
import { writeComment } from './write-comment.ts';

const article = { description: 'Id of the article.' };

@ArgsType()
class CommentsArgs extends ConnectionArgs {
  @Field(() => GraphQLSafeInt, article)
  article!: number;

  @searchField('the text')
  search?: string | null;

  @orderingField(commentOrdering, 'the oldest first')
  ordering?: string | null;
}

@Resolver()
export class CommentRoots {
  @Access('account')
  @Cost(2, { search: 100 })
  @Query(() => ArticleCommentConnection, {
    nullable: true,
    description: 'Comments and replies of a published article; null when it does not exist.',
  })
  async comments(
    @Args(() => CommentsArgs) args: CommentsArgs,
    @Ctx() context: Context,
  ): Promise<Connection<CommentRow> | null> {
    const source = await commentsOf(context, args.article, args);
    return source && new Connection(ArticleCommentConnection, source, args);
  }

  @Access('verified')
  @Mutation(() => ArticleComment, { description: 'Writes a comment on an article, or a reply.' })
  writeComment(
    @Arg('article', () => GraphQLSafeInt, article) articleId: number,
    @Arg('text', () => String, { description: 'Plain text, 1 to 2,000 characters.' }) text: string,
    @Arg('parent', () => GraphQLSafeInt, {
      nullable: true,
      description: 'Id of the comment to reply to. A reply to a reply gets the same parent.',
    })
    parentId: number | null | undefined,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommentRow> {
    return writeComment(context, { articleId, text, parentId }, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes one of the caller's comments permanently." })
  async deleteComment(
    @Arg('id', () => GraphQLSafeInt, { description: 'Id of the comment.' }) id: number,
    @Arg('article', () => GraphQLSafeInt, {
      nullable: true,
      description: 'Id of the article of the comment; checked when given.',
    })
    articleId: number | null | undefined,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteComment(context, id, articleId);
    return true;
  }
}
