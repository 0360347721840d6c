import 'reflect-metadata';
import { createServer } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import DataLoader from 'dataloader';
import express from 'express';
import type pg from 'pg';
import {
  Arg,
  buildSchema,
  Ctx,
  Field,
  FieldResolver,
  GraphQLISODateTime,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { Target } from '../target.ts';
import { openPool, visible } from './article-page.ts';
import { listen } from './listen.ts';

/** type-graphql, Apollo Server on Express 5, and a DataLoader for what lies below a list. */

interface Context {
  pool: pg.Pool;
  categories: DataLoader<number, Category[]>;
}

@ObjectType()
class Category {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  slug!: string;
}

@ObjectType()
class Article {
  @Field(() => Int)
  id!: number;

  @Field(() => String)
  headline!: string;

  @Field(() => String)
  summary!: string;

  @Field(() => String, { name: 'imageUrl', nullable: true })
  image_url!: string | null;

  @Field(() => String)
  author!: string;

  @Field(() => String)
  source!: string;

  @Field(() => String, { name: 'sourceUrl', nullable: true })
  source_url!: string | null;

  @Field(() => Int, { name: 'readTimeMinutes' })
  read_time_minutes!: number;

  @Field(() => GraphQLISODateTime, { name: 'publishedAt' })
  published_at!: Date;

  @Field(() => Int, { name: 'likeCount' })
  like_count!: number;

  @Field(() => Int, { name: 'commentCount' })
  comment_count!: number;

  @Field(() => Boolean, { name: 'isLiked' })
  is_liked!: boolean;

  @Field(() => Boolean, { name: 'isBookmarked' })
  is_bookmarked!: boolean;
}

@ObjectType()
class ArticlePage {
  @Field(() => [Article])
  nodes!: Article[];
}

const columns = `id, headline, summary, image_url, author, source, source_url, read_time_minutes, published_at, like_count,
  comment_count, false as is_liked, false as is_bookmarked`;

@Resolver(() => Article)
class ArticleResolver {
  @Query(() => ArticlePage)
  async articles(
    @Arg('first', () => Int, { defaultValue: 20 }) first: number,
    @Arg('offset', () => Int, { defaultValue: 0 }) offset: number,
    @Ctx() { pool }: Context,
  ): Promise<ArticlePage> {
    const text = `select ${columns} from article where ${visible} order by published_at desc, id desc limit $1 offset $2`;
    const { rows } = await pool.query<Article>({ name: 'articles', text, values: [Math.min(first, 100), offset] });
    return { nodes: rows };
  }

  @FieldResolver(() => [Category])
  categories(@Root() { id }: Article, @Ctx() { categories }: Context): Promise<Category[]> {
    return categories.load(id);
  }
}

@Resolver(() => ArticlePage)
class ArticlePageResolver {
  @FieldResolver(() => Int)
  async totalCount(@Ctx() { pool }: Context): Promise<number> {
    const text = `select count(*) as count from article where ${visible}`;
    const { rows } = await pool.query<{ count: number }>({ name: 'count', text });
    return rows[0]?.count ?? 0;
  }
}

async function loadCategories(pool: pg.Pool, articles: readonly number[]): Promise<Category[][]> {
  const text = `select ac.article_id, c.id, c.name, c.slug from article_category ac join category c on c.id = ac.category_id
    where ac.article_id = any ($1::bigint[]) order by c.name, c.id`;
  const { rows } = await pool.query<Category & { article_id: number }>({
    name: 'categories',
    text,
    values: [articles],
  });
  const byArticle = Map.groupBy(rows, row => row.article_id);
  return articles.map(id => byArticle.get(id) ?? []);
}

export const start: Target = async url => {
  const pool = openPool(url);
  const schema = await buildSchema({ resolvers: [ArticleResolver, ArticlePageResolver], validate: false });
  const apollo = new ApolloServer<Context>({ schema });
  await apollo.start();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(
    '/graphql',
    express.json(),
    expressMiddleware(apollo, {
      context: async () => ({
        pool,
        categories: new DataLoader((articles: readonly number[]) => loadCategories(pool, articles)),
      }),
    }),
  );
  return listen(createServer(app));
};
