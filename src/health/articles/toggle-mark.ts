import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { lockArticle } from './articles.queries.ts';
import { markRecommendationSeen } from './mark-recommendation-seen.ts';

export type Mark = 'like' | 'bookmark';

/** New state of the mark, and the article's count. */
export interface ToggledMark {
  set: boolean;
  count: number;
}

/**
 * Sets or removes the caller's mark on an article in one transaction. The article is locked, so that concurrent toggles
 * are serialized and each one counts; otherwise two toggles could both insert and both report it. Also marks a
 * recommendation of the article as seen.
 * @throws notFound for an article that is not visible
 */
export async function toggleMark(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  mark: Mark,
  articleId: number,
): Promise<ToggledMark> {
  const { userId } = requirePerson(context.actor);
  const table = sql.table(`article_${mark}`);
  const count = sql.ref(`${mark}_count`);
  return context.transaction(async db => {
    await lockArticle(db, context, articleId);
    const toggled = await sql<ToggledMark>`
      with taken as (
        delete from ${table} where user_id = ${userId} and article_id = ${articleId} returning 1
      ), put as (
        insert into ${table} (user_id, article_id, created_at)
        select ${userId}, ${articleId}, ${context.now().toISOString()} where not exists (select from taken)
        on conflict do nothing returning 1
      )
      update article set ${count} = ${count} + (select count(*) from put) - (select count(*) from taken)
      where id = ${articleId} returning exists (select from put) as set, ${count} as count`.execute(db);
    const [now] = toggled.rows;
    if (!now) throw new Error(`The locked article ${articleId} does not exist.`);
    await markRecommendationSeen(db, context, userId, articleId);
    return now;
  });
}
