import type { RequestHandler } from 'express';
import { sql } from 'kysely';
import type { Clock } from '../context/context.ts';
import type { Database } from '../db/database.ts';
import { pictureHeaders } from './picture-headers.ts';

const day = 24 * 60 * 60;

/**
 * `/pictures/articles/{article}-{hash}.webp`: the picture of a published article. The hash changes with the picture, so an answer can be
 * cached for a day; an article that is withdrawn loses its picture then. No credential is verified, so it uses the connections of
 * anonymous reads.
 */
export function articlePictureHandler({ pools }: Pick<Database, 'pools'>, now: Clock): RequestHandler {
  return async (request, response, next) => {
    const [, id, hash] = /^\/(\d{1,15})-([0-9a-f]{16})\.webp$/.exec(request.path) ?? [];
    if (id === undefined) return next();
    const { rows } = await sql<{ bytes: Buffer }>`
      select p.bytes from article_picture p join article a on a.id = p.article_id
      where a.id = ${Number(id)} and a.withdrawn_at is null and a.published_at <= ${now().toISOString()} and a.image_url = ${`/pictures/articles/${id}-${hash}.webp`}
        and p.bytes is not null`.execute(pools.anonymous.sql);
    const [picture] = rows;
    if (!picture) return next();
    response.set(pictureHeaders(day)).type('image/webp').send(picture.bytes);
  };
}
