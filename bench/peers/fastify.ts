import { fastify } from 'fastify';
import type { Target } from '../target.ts';
import { articlePage, notFound, openPool, pageNumber } from './article-page.ts';

const text = { type: 'string' };
const nullableText = { type: ['string', 'null'] };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };

/** Fastify compiles it to a function that writes the JSON. */
const articlePageSchema = {
  type: 'object',
  properties: {
    count: integer,
    next: nullableText,
    previous: nullableText,
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: integer,
          headline: text,
          summary: text,
          image_url: nullableText,
          author: text,
          source: text,
          source_url: nullableText,
          categories: {
            type: 'array',
            items: { type: 'object', properties: { id: integer, name: text, slug: text } },
          },
          read_time_minutes: integer,
          published_at: text,
          like_count: integer,
          comment_count: integer,
          is_liked: flag,
          is_bookmarked: flag,
        },
      },
    },
  },
};

/** Fastify without plugins, and with a response schema, which is how it is meant to be used. */
export const start: Target = url => {
  const pool = openPool(url);
  const app = fastify({ keepAliveTimeout: 65_000 });
  app.get<{ Querystring: { page?: string } }>(
    '/api/v1/articles/',
    { schema: { response: { 200: articlePageSchema } } },
    async (request, reply) => {
      const page = pageNumber(request.query.page);
      const list = `${request.protocol}://${request.host}/api/v1/articles/`;
      const body = page && (await articlePage(pool, list, page));
      return body || reply.code(404).send(notFound);
    },
  );
  return app.listen({ host: '127.0.0.1', port: 0 });
};
