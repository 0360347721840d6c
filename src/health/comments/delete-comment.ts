import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';

/**
 * Deletes the text of one of the caller's comments. The row stays while it has replies.
 * @throws notFound when it does not exist, belongs to another user, is deleted, or is not a comment of `articleId`
 */
export async function deleteComment(
  context: Pick<Context, 'actor' | 'now' | 'pipeline'>,
  id: number,
  articleId: number | null | undefined,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const [, deleted] = await context.pipeline([
    // Lock the article first, as all writers of comment counts do, to avoid deadlocks.
    sql`select from article where id = (select article_id from article_comment where id = ${id}) for no key update`,
    sql`
      with deleted as (
        update article_comment set deleted_at = ${context.now().toISOString()}, text = ''
        where id = ${id} and user_id = ${userId} and deleted_at is null
          and article_id = coalesce(${articleId ?? null}, article_id)
        returning article_id, parent_id
      ), counted as (
        update article set comment_count = comment_count - 1 where id = (select article_id from deleted)
      ), unreplied as (
        update article_comment set replies_count = replies_count - 1 where id = (select parent_id from deleted)
      )
      select from deleted`,
  ]);
  if (deleted.length === 0) throw notFound();
}
