import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Article, ArticleConnection } from '../../../schema/health/article.ts';
import { ToggledBookmark, ToggledLike } from '../../../schema/health/article-activity.ts';
import { Category } from '../../../schema/health/category.ts';
import { PublisherCode } from '../../../schema/health/publisher.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { type Selection, selectionOf } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { orderingField, searchField } from '../lists/argument-fields.ts';
import { loadBodies } from './article-bodies.ts';
import {
  type ArticleRow,
  allCategories,
  articleOrdering,
  articlesBookmarkedBy,
  articlesMatching,
  relatedArticles,
} from './articles.queries.ts';
import { openArticle } from './open-article.ts';
import { toggleMark } from './toggle-mark.ts';

@ArgsType()
class ArticlesArgs extends ConnectionArgs {
  @Field(() => PublisherCode, { nullable: true, description: 'Publisher of the articles.' })
  source?: string | null;

  @Field(() => String, { nullable: true, description: 'Slug of a category of the articles.' })
  category?: string | null;

  @searchField('headline, summary, body, author or a category name')
  search?: string | null;

  @orderingField(articleOrdering)
  ordering?: string | null;
}

@ArgsType()
class BookmarksArgs extends ConnectionArgs {
  @Field(() => String, { nullable: true, description: 'Search as in `articles`.' })
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Sort keys as in `articles`, and bookmarked_at; the newest bookmark first by default.',
  })
  ordering?: string | null;
}

const articleId = { description: 'Id of the article.' };

@Resolver()
export class ArticleRoots {
  @Access('public')
  @Cost(2, { search: 100 })
  @Query(() => ArticleConnection, { description: 'Published articles, the newest first unless ordered.' })
  articles(@Args(() => ArticlesArgs) args: ArticlesArgs, @Ctx() context: Context): Connection<ArticleRow> {
    return new Connection(ArticleConnection, articlesMatching(context, args), args);
  }

  @Access('public')
  @Query(() => Article, {
    nullable: true,
    description: 'A published article, or null. Counts a view and marks a recommendation of it as seen.',
  })
  article(
    @Arg('id', () => GraphQLSafeInt, articleId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> {
    return openArticle(context, id, selectionOf(info));
  }

  @Access('verified')
  @Cost(5, { search: 50 })
  @Query(() => ArticleConnection, { description: "The caller's bookmarked articles." })
  bookmarkedArticles(@Args(() => BookmarksArgs) args: BookmarksArgs, @Ctx() context: Context): Connection<ArticleRow> {
    return new Connection(
      ArticleConnection,
      articlesBookmarkedBy(context, requirePerson(context.actor).userId, args),
      args,
    );
  }

  @Access('verified')
  @Mutation(() => ToggledLike, { description: "Adds or removes the caller's like of an article." })
  async toggleLike(
    @Arg('id', () => GraphQLSafeInt, articleId) id: number,
    @Ctx() context: Context,
  ): Promise<ToggledLike> {
    const { set, count } = await toggleMark(context, 'like', id);
    return { liked: set, likeCount: count };
  }

  @Access('verified')
  @Mutation(() => ToggledBookmark, { description: "Adds or removes the caller's bookmark of an article." })
  async toggleBookmark(
    @Arg('id', () => GraphQLSafeInt, articleId) id: number,
    @Ctx() context: Context,
  ): Promise<ToggledBookmark> {
    const { set } = await toggleMark(context, 'bookmark', id);
    return { bookmarked: set, detail: set ? 'Bookmark added.' : 'Bookmark removed.' };
  }

  @Access('public')
  @Query(() => [Category], { description: 'All categories, by name.' })
  categories(@Ctx() context: Context): Promise<Category[]> {
    return allCategories(context);
  }
}

const emptySelection: Selection = new Map();

@Resolver(() => Article)
export class ArticleFields {
  @FieldResolver()
  body(@Root() article: ArticleRow, @Ctx() context: Context): string | Promise<string> {
    return article.body ?? context.load(loadBodies, emptySelection).load(article.id);
  }

  @Cost(3)
  @FieldResolver(() => [Article], { description: 'Up to three articles with the most shared categories.' })
  related(
    @Root() article: ArticleRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow[]> {
    return context.load(relatedArticles, selectionOf(info)).load(article.id);
  }
}
