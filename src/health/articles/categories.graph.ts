import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { ArticleConnection } from '../../../schema/health/article.ts';
import { Category } from '../../../schema/health/category.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { CategorizedArticlesArgs } from './article-arguments.ts';
import type { ArticleRow } from './articles.queries.ts';
import { allCategories, articlesOfCategory, type CategoryRow } from './categories.queries.ts';

@Resolver()
export class CategoryRoots {
  @Access('public')
  @Query(() => [Category], { nullable: true, description: 'Categories of articles by name, the first 100.' })
  articleCategories(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<CategoryRow[]> {
    return allCategories(context, selectionOf(info));
  }
}

@Resolver(() => Category)
export class CategoryFields {
  @Cost(1, { search: 2 })
  @FieldResolver(() => ArticleConnection, { description: 'Published articles, newest first unless ordered.' })
  articles(
    @Root() category: CategoryRow,
    @Args(() => CategorizedArticlesArgs) args: CategorizedArticlesArgs,
    @Ctx() context: Context,
  ): Connection<ArticleRow> {
    return new Connection(ArticleConnection, articlesOfCategory(context, category.databaseId, args), args);
  }
}
