import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Article, ArticleConnection } from '../../../schema/health/article.ts';
import { ArticleRevision } from '../../../schema/health/article-revision.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionBelow, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { ArticlesArgs } from './article-arguments.ts';
import { loadBodies, loadRevisionBodies } from './article-bodies.ts';
import { maxRevisions, type RevisionRow, revisionsOfArticles } from './article-revisions.queries.ts';
import { type ArticleRow, articleById } from './articles.queries.ts';
import { articlesMatching } from './matching-articles.queries.ts';
import { openArticle } from './open-article.ts';
import { relatedArticles } from './related-articles.queries.ts';

const databaseId = { description: 'Number of the article.' };

@InputType({ description: 'Input of `openArticle`.' })
class OpenArticleInput {
  @Field(() => ID, { description: 'Article that is opened.' }) articleId!: string;
}

const OpenArticlePayload = payloadOf('openArticle', { article: [() => Article, 'Article that was opened.'] });

@Resolver()
export class ArticleRoots {
  @Access('public')
  @Cost(2, { search: 100 })
  @Query(() => ArticleConnection, {
    nullable: true,
    description: 'Published articles: the newest first, or the best match of a search, unless ordered.',
  })
  articles(@Args(() => ArticlesArgs) args: ArticlesArgs, @Ctx() context: Context): Connection<ArticleRow> {
    return new Connection(ArticleConnection, articlesMatching(context, args), args);
  }

  @Access('public')
  @Query(() => Article, { nullable: true, description: 'Published article with this number; null if there is none.' })
  article(
    @Arg('databaseId', () => GraphQLSafeInt, databaseId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> {
    return articleById(context, id, selectionOf(info));
  }

  @RestCorner('A GET counts as a view there. Use `article` to read, and `openArticle` to count.')
  @Access('public')
  @Query(() => Article, {
    nullable: true,
    description: 'Published article, opened: it counts a view. Null if there is none.',
  })
  openedArticle(
    @Arg('databaseId', () => GraphQLSafeInt, databaseId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow | null> {
    return openArticle(context, id, selectionOf(info));
  }

  @Access('public')
  @Mutation(() => OpenArticlePayload, {
    nullable: true,
    description: 'Counts a view of an article and marks your recommendation of it as seen.',
  })
  async openArticle(
    @InputArg(() => OpenArticleInput) { articleId }: OpenArticleInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ article: ArticleRow }> {
    const article = await openArticle(
      context,
      numberOfId('Article', articleId, 'articleId'),
      selectionBelow(info, 'article'),
    );
    if (!article) throw notFound();
    return { article };
  }
}

@Resolver(() => Article)
export class ArticleFields {
  @FieldResolver()
  body(@Root() article: ArticleRow, @Ctx() context: Context): string | Promise<string> {
    return article.body ?? context.load(loadBodies, noSelection).load(article.databaseId);
  }

  @Cost(3)
  @Extensions({ listSize: 3 })
  @FieldResolver(() => [Article], { description: 'Up to three articles with the most shared categories.' })
  related(
    @Root() article: ArticleRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ArticleRow[]> {
    return context.load(relatedArticles, selectionOf(info)).load(article.databaseId);
  }

  @Cost(1)
  @Extensions({ listSize: maxRevisions })
  @FieldResolver(() => [ArticleRevision], {
    description: 'Versions that corrections replaced, the newest first; at most 20.',
  })
  revisions(@Root() article: ArticleRow, @Ctx() context: Context): Promise<RevisionRow[]> {
    return context.load(revisionsOfArticles, noSelection).load(article.databaseId);
  }
}

@Resolver(() => ArticleRevision)
export class ArticleRevisionFields {
  @FieldResolver()
  body(@Root() revision: RevisionRow, @Ctx() context: Context): Promise<string> {
    return context.load(loadRevisionBodies, noSelection).load(revision.databaseId);
  }
}
