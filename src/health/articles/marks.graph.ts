import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { Article, BookmarkConnection } from '../../../schema/health/article.ts';
import { ToggleBookmarkPayload, ToggleLikePayload } from '../../../schema/health/article-activity.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { BookmarksArgs } from './article-arguments.ts';
import { type ArticleRow, articleById, articlesBookmarkedBy, type BookmarkRow } from './articles.queries.ts';
import { changeMark, type Mark, type MarkChange } from './change-mark.ts';

@InputType({ description: 'Input of `likeArticle`.' })
class LikeArticleInput {
  @Field(() => ID, { description: 'Article to like.' }) articleId!: string;
}

@InputType({ description: 'Input of `unlikeArticle`.' })
class UnlikeArticleInput {
  @Field(() => ID, { description: 'Article to take your like from.' }) articleId!: string;
}

@InputType({ description: 'Input of `bookmarkArticle`.' })
class BookmarkArticleInput {
  @Field(() => ID, { description: 'Article to bookmark.' }) articleId!: string;
}

@InputType({ description: 'Input of `unbookmarkArticle`.' })
class UnbookmarkArticleInput {
  @Field(() => ID, { description: 'Article to take your bookmark from.' }) articleId!: string;
}

@InputType({ description: 'Input of `toggleLike`.' })
class ToggleLikeInput {
  @Field(() => ID, { description: 'Article that gets your like, or loses it.' }) articleId!: string;
}

@InputType({ description: 'Input of `toggleBookmark`.' })
class ToggleBookmarkInput {
  @Field(() => ID, { description: 'Article that gets your bookmark, or loses it.' }) articleId!: string;
}

const LikeArticlePayload = payloadOf('likeArticle', { article: [() => Article, 'Article with your like.'] });
const UnlikeArticlePayload = payloadOf('unlikeArticle', { article: [() => Article, 'Article without your like.'] });
const BookmarkArticlePayload = payloadOf('bookmarkArticle', {
  article: [() => Article, 'Article with your bookmark.'],
});
const UnbookmarkArticlePayload = payloadOf('unbookmarkArticle', {
  article: [() => Article, 'Article without your bookmark.'],
});

interface ArticlePayload {
  article: ArticleRow | null;
}

@Resolver()
export class MarkRoots {
  @Access('verified')
  @Mutation(() => LikeArticlePayload, { nullable: true, description: 'Likes an article.' })
  likeArticle(
    @InputArg(() => LikeArticleInput) input: LikeArticleInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticlePayload> {
    return markArticle(context, 'set', 'like', input, info);
  }

  @Access('verified')
  @Mutation(() => UnlikeArticlePayload, { nullable: true, description: 'Removes your like of an article.' })
  unlikeArticle(
    @InputArg(() => UnlikeArticleInput) input: UnlikeArticleInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticlePayload> {
    return markArticle(context, 'remove', 'like', input, info);
  }

  @Access('verified')
  @Mutation(() => BookmarkArticlePayload, { nullable: true, description: 'Bookmarks an article.' })
  bookmarkArticle(
    @InputArg(() => BookmarkArticleInput) input: BookmarkArticleInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticlePayload> {
    return markArticle(context, 'set', 'bookmark', input, info);
  }

  @Access('verified')
  @Mutation(() => UnbookmarkArticlePayload, { nullable: true, description: 'Removes your bookmark of an article.' })
  unbookmarkArticle(
    @InputArg(() => UnbookmarkArticleInput) input: UnbookmarkArticleInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticlePayload> {
    return markArticle(context, 'remove', 'bookmark', input, info);
  }

  @RestCorner('A POST toggles there. Use `likeArticle` and `unlikeArticle`, which can be repeated.')
  @Access('verified')
  @Mutation(() => ToggleLikePayload, { nullable: true, description: 'Adds or removes your like of an article.' })
  async toggleLike(
    @InputArg(() => ToggleLikeInput) { articleId }: ToggleLikeInput,
    @Ctx() context: Context,
  ): Promise<ToggleLikePayload> {
    const { isSet, count } = await changeMark(context, 'like', 'toggle', numberOfId('Article', articleId, 'articleId'));
    return { liked: isSet, likeCount: count };
  }

  @RestCorner('A POST toggles there. Use `bookmarkArticle` and `unbookmarkArticle`, which can be repeated.')
  @Access('verified')
  @Mutation(() => ToggleBookmarkPayload, {
    nullable: true,
    description: 'Adds or removes your bookmark of an article.',
  })
  async toggleBookmark(
    @InputArg(() => ToggleBookmarkInput) { articleId }: ToggleBookmarkInput,
    @Ctx() context: Context,
  ): Promise<ToggleBookmarkPayload> {
    const { isSet } = await changeMark(context, 'bookmark', 'toggle', numberOfId('Article', articleId, 'articleId'));
    return { bookmarked: isSet, detail: isSet ? 'Bookmark added.' : 'Bookmark removed.' };
  }
}

@Resolver(() => Person)
export class PersonBookmarks {
  @Access('verified')
  @Cost(5, { search: 50 })
  @FieldResolver(() => BookmarkConnection, {
    nullable: true,
    description: 'Bookmarked articles, newest bookmark first.',
  })
  bookmarks(@Args(() => BookmarksArgs) args: BookmarksArgs, @Ctx() context: Context): Connection<BookmarkRow> {
    const { userId } = requirePerson(context.actor);
    return new Connection(BookmarkConnection, articlesBookmarkedBy(context, userId, args), args);
  }
}

async function markArticle(
  context: Context,
  change: MarkChange,
  mark: Mark,
  input: LikeArticleInput,
  info: GraphQLResolveInfo,
): Promise<ArticlePayload> {
  const id = numberOfId('Article', input.articleId, 'articleId');
  await changeMark(context, mark, change, id);
  return { article: await articleById(context, id, selectionBelow(info, 'article')) };
}
