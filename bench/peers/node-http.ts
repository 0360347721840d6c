import { createServer } from 'node:http';
import type { Target } from '../target.ts';
import { notFound, openPool, pageNumber, visible } from './article-page.ts';
import { listen } from './listen.ts';

/**
 * The floor: `node:http` and one prepared statement that yields the body as text, which is not parsed. Rows are joined by
 * `string_agg`, because `json_agg` puts a line break between them, which the contract does not have.
 */
const wholeAnswer = {
  name: 'answer',
  text: `
    with counted as (select count(*) as count from article where ${visible}),
    page as (
      select id from article where ${visible} order by published_at desc, id desc limit 20 offset ($1::bigint - 1) * 20),
    item as (
      select a.id, a.headline, a.summary, a.image_url, a.author, a.source, a.source_url,
        (select ('[' || coalesce(string_agg(row_to_json(x)::text, ',' order by x.name, x.id), '') || ']')::json
           from (select c.id, c.name, c.slug from article_category ac join category c on c.id = ac.category_id
                 where ac.article_id = a.id) x) as categories,
        a.read_time_minutes, to_char(a.published_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as published_at,
        a.like_count, a.comment_count, false as is_liked, false as is_bookmarked
      from page join article a using (id) order by a.published_at desc, a.id desc)
    select '{"count":' || count
      || ',"next":' || case when $1 * 20 < count then to_json($2 || '?page=' || $1 + 1)::text else 'null' end
      || ',"previous":' || case when $1 = 1 then 'null' when $1 = 2 then to_json($2)::text
           else to_json($2 || '?page=' || $1 - 1)::text end
      || ',"results":[' || coalesce((select string_agg(row_to_json(item)::text, ',') from item), '') || ']}' as body
    from counted where $1 = 1 or ($1 - 1) * 20 < count`,
};

export const start: Target = url => {
  const pool = openPool(url);
  const server = createServer(async (request, response) => {
    const [path, query] = (request.url ?? '').split('?');
    const page = pageNumber(query === undefined ? undefined : (new URLSearchParams(query).get('page') ?? undefined));
    let body: string | undefined;
    if (path === '/api/v1/articles/' && page !== undefined) {
      const values = [page, `http://${request.headers.host}${path}`];
      ({ body } = (await pool.query<{ body: string }>({ ...wholeAnswer, values })).rows[0] ?? {});
    }
    const text = body ?? JSON.stringify(notFound);
    response.writeHead(body === undefined ? 404 : 200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    });
    response.end(text);
  });
  return listen(server);
};
