import { createServer } from 'node:http';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import type { Target } from '../target.ts';
import { visible } from './article-page.ts';
import { listen } from './listen.ts';

/**
 * PostGraphile publishes what a schema has, so the published articles are a view and their categories a function, as its manual
 * recommends for what a table alone does not say. PostgreSQL inlines both.
 */
const published = `
  create schema if not exists published;
  create or replace view published.article as
    select id, headline, summary, image_url, author, source, source_url, read_time_minutes, published_at, like_count,
      comment_count, false as is_liked, false as is_bookmarked
    from public.article where ${visible};
  create or replace view published.category as select id, name, slug from public.category;
  create or replace function published.article_categories(article published.article)
    returns setof published.category language sql stable as $$
      select c.id, c.name, c.slug from public.article_category ac join public.category c on c.id = ac.category_id
      where ac.article_id = article.id order by c.name, c.id $$;
  comment on view published.article is '@primaryKey id';
  comment on view published.category is '@primaryKey id';
  comment on column published.article.published_at is '@behavior +orderBy';
  comment on column published.article.id is '@behavior +orderBy';
  comment on function published.article_categories is '@behavior +list -connection';`;

/** PostGraphile 5 with its recommended preset, on its server for `node:http`. */
export const start: Target = async url => {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(published);
  await client.end();
  const instance = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [
      makePgService({
        connectionString: url,
        schemas: ['published'],
        poolConfig: { max: 10, options: '-c timezone=UTC' },
      }),
    ],
    grafserv: { watch: false, graphiql: false },
    grafast: { explain: false },
  });
  const server = createServer();
  await instance.createServ(grafserv).addTo(server);
  return listen(server);
};
