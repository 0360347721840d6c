import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Comment, CommentPage } from '../../../schema/health/comment.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { selectionOf } from '../../db/selection.ts';
import { type CommentRow, commentsOf } from './comments.queries.ts';
import { deleteComment } from './delete-comment.ts';
import { writeComment } from './write-comment.ts';

const article = { description: 'Number of the article.' };

@ArgsType()
class CommentsArgs extends PageArgs {
  @Field(() => GraphQLSafeInt, article)
  article!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Words or "quoted phrases", each of which must occur in the text; at most 20.',
  })
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Comma separated: created_at, id; a leading - turns the order round. The oldest come first by default.',
  })
  ordering?: string | null;
}

@Resolver()
export class CommentRoots {
  @Access('account')
  @Cost(2, { search: 100 })
  @Query(() => CommentPage, {
    nullable: true,
    description: 'The comments of a published article, replies among them; null when there is no such article to see.',
  })
  async comments(
    @Args(() => CommentsArgs) args: CommentsArgs,
    @Ctx() context: Context,
  ): Promise<Page<CommentRow> | null> {
    const source = await commentsOf(context, args.article, args);
    return source && new Page(source, args);
  }

  @Access('verified')
  @Mutation(() => Comment, { description: 'Writes a comment under an article, or a reply to one.' })
  writeComment(
    @Arg('article', () => GraphQLSafeInt, article) articleId: number,
    @Arg('text', () => String, { description: 'Plain text of 1 to 2,000 characters.' }) text: string,
    @Arg('parent', () => GraphQLSafeInt, {
      nullable: true,
      description: 'Number of the comment to reply to. A reply to a reply stands beside it.',
    })
    parentId: number | null | undefined,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CommentRow> {
    return writeComment(context, { articleId, text, parentId }, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes a comment of the caller's own. Its text is gone for good." })
  async deleteComment(
    @Arg('id', () => GraphQLSafeInt, { description: 'Number of the comment.' }) id: number,
    @Arg('article', () => GraphQLSafeInt, { nullable: true, description: 'The article it must be under.' })
    articleId: number | null | undefined,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteComment(context, id, articleId);
    return true;
  }
}
