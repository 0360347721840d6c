import type { RequestHandler } from 'express';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';

/**
 * `/media/{id}`: pictures of people. The id is random and changes with the picture, so a response can be cached forever. No
 * credential is verified, so it uses the connections of anonymous reads.
 */
export function mediaHandler({ pools }: Database): RequestHandler {
  return async (request, response, next) => {
    const id = /^\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/.exec(request.path)?.[1];
    if (id === undefined) {
      next();
      return;
    }
    const found = await sql<{ mediaType: string; content: Buffer }>`
      select media_type as "mediaType", content from media where id = ${id}`.execute(pools.anonymous.sql);
    const picture = found.rows[0];
    if (!picture) {
      next();
      return;
    }
    response
      .set('Cache-Control', 'public, max-age=31536000, immutable')
      .set('Content-Security-Policy', "default-src 'none'; sandbox")
      .type(picture.mediaType)
      .send(picture.content);
  };
}
