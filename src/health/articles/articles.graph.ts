import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { Article, ArticlePage } from '../../../schema/health/article.ts';
import { Category } from '../../../schema/health/category.ts';
import { PublisherCode } from '../../../schema/health/publisher.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { type Page, PageArgs } from '../../../schema/vocabulary/page.ts';
import { selectionOf } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import {
  type ArticleRow,
  allCategories,
  articleById,
  articlesMatching,
  type CategoryRow,
  relatedArticles,
} from './articles.queries.ts';

@ArgsType()
class ArticlesArgs extends PageArgs {
  @Field(() => PublisherCode, { nullable: true, description: 'Only articles of this publisher.' })
  source?: string | null;

  @Field(() => String, { nullable: true, description: 'Only articles in the category with this slug.' })
  category?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Words or "quoted phrases", each of which must occur in headline, summary, body, author or a category name; at most 20.',
  })
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Comma separated: published_at, like_count, comment_count, read_time_minutes, headline, id; a leading - turns the order round. Other names are ignored; the newest come first by default.',
  })
  ordering?: string | null;
}

@Resolver()
export class ArticleRoots {
  @Access('public')
  @Query(() => ArticlePage, { description: 'Published articles.' })
  articles(@Args(() => ArticlesArgs) args: ArticlesArgs, @Ctx() context: Context): Page<ArticleRow> {
    return new ArticlePage(articlesMatching(context, args), args);
  }

  @Access('public')
  @Query(() => Article, { nullable: true, description: 'One published article; null when there is none to see.' })
  article(
    @Arg('id', () => GraphQLSafeInt, { description: 'Number of the article.' }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> {
    return articleById(context, id, selectionOf(info));
  }

  @Access('public')
  @Query(() => [Category], { description: 'Every category, by name.' })
  categories(@Ctx() context: Context): Promise<CategoryRow[]> {
    return allCategories(context);
  }
}

@Resolver(() => Article)
export class ArticleFields {
  @FieldResolver(() => [Article], { description: 'Up to three articles on the same subjects.' })
  related(
    @Root() article: ArticleRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow[]> {
    return context.load(relatedArticles, selectionOf(info)).load(article.id);
  }
}
