import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { lockArticle } from './articles.queries.ts';
import { markRecommendationSeen } from './mark-recommendation-seen.ts';
import type { Mark } from './toggle-mark.ts';

/**
 * Sets the caller's mark on an article, or nothing if it is set. Also marks a recommendation of the article as seen.
 * @throws notFound for an article that is not visible
 */
export async function setMark(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  mark: Mark,
  articleId: number,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  await context.transaction(async db => {
    await lockArticle(db, context, articleId);
    await sql`
      with put as (
        insert into ${sql.table(`article_${mark}`)} (user_id, article_id, created_at)
        values (${userId}, ${articleId}, ${context.now().toISOString()}) on conflict do nothing returning 1
      )
      update article set ${sql.ref(`${mark}_count`)} = ${sql.ref(`${mark}_count`)} + 1
      where id = ${articleId} and exists (select from put)`.execute(db);
    await markRecommendationSeen(db, context, userId, articleId);
  });
}

/**
 * Removes the caller's mark from an article, or nothing if there is none.
 * @throws notFound for an article that is not visible
 */
export async function removeMark(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  mark: Mark,
  articleId: number,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  await context.transaction(async db => {
    await lockArticle(db, context, articleId);
    await sql`
      with taken as (
        delete from ${sql.table(`article_${mark}`)} where user_id = ${userId} and article_id = ${articleId} returning 1
      )
      update article set ${sql.ref(`${mark}_count`)} = ${sql.ref(`${mark}_count`)} - 1
      where id = ${articleId} and exists (select from taken)`.execute(db);
  });
}
