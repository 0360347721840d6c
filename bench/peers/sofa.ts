import { createServer } from 'node:http';
import express from 'express';
import {
  GraphQLBoolean,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { useSofa } from 'sofa-api';
import type { Target } from '../target.ts';
import { articlePage, openPool, pageNumber } from './article-page.ts';
import { listen } from './listen.ts';

const must = (type: GraphQLOutputType): GraphQLOutputType =>
  type instanceof GraphQLNonNull ? type : new GraphQLNonNull(type);
const fields = (types: Record<string, GraphQLOutputType>) =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));

const category = new GraphQLObjectType({
  name: 'Category',
  fields: fields({ id: must(GraphQLInt), name: must(GraphQLString), slug: must(GraphQLString) }),
});

const article = new GraphQLObjectType({
  name: 'Article',
  fields: fields({
    id: must(GraphQLInt),
    headline: must(GraphQLString),
    summary: must(GraphQLString),
    image_url: GraphQLString,
    author: must(GraphQLString),
    source: must(GraphQLString),
    source_url: GraphQLString,
    categories: must(new GraphQLList(must(category))),
    read_time_minutes: must(GraphQLInt),
    published_at: must(GraphQLString),
    like_count: must(GraphQLInt),
    comment_count: must(GraphQLInt),
    is_liked: must(GraphQLBoolean),
    is_bookmarked: must(GraphQLBoolean),
  }),
});

/** The envelope of the contract as a type: SOFA has no aliases, so the graph has the names of the JSON. */
const page = new GraphQLObjectType({
  name: 'ArticlePage',
  fields: fields({
    count: must(GraphQLInt),
    next: GraphQLString,
    previous: GraphQLString,
    results: must(new GraphQLList(must(article))),
  }),
});

/** sofa-api over a graph written for it, whose one resolver reads what SOFA always selects: everything. */
export const start: Target = url => {
  const pool = openPool(url);
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType<unknown, { list: string }>({
      name: 'Query',
      fields: {
        articles: {
          type: page,
          args: { page: { type: GraphQLInt, defaultValue: 1 } },
          resolve: (_root, args, { list }) => articlePage(pool, list, pageNumber(args.page) ?? 1),
        },
      },
    }),
  });
  const app = express();
  app.disable('x-powered-by');
  app.use(
    '/api/v1',
    useSofa({
      basePath: '/api/v1',
      schema,
      routes: { 'Query.articles': { method: 'GET', path: '/articles/' } },
      context: (server: unknown) => {
        const { req } = server as { req: express.Request };
        return { list: `${req.protocol}://${req.host}/api/v1/articles/` };
      },
    }),
  );
  return listen(createServer(app));
};
