import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { invalidInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { lockArticle } from '../articles/articles.queries.ts';
import { notBlockedBetween } from '../community/blocks.ts';
import { InputChecks } from '../input/input-checks.ts';
import { type CommentRow, commentById } from './comments.queries.ts';

export interface NewComment {
  articleId: number;
  text: string;
  parentId?: number | null | undefined;
}

const maxTextLength = 2_000;

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'rateLimiter' | 'transaction'>;

/**
 * Writes a comment or a reply. Replies are one level deep: a reply to a reply gets the same parent. The text is plain;
 * markup in it has no meaning.
 * @throws field errors; notFound for an article that is not visible; tooManyRequests
 */
export async function writeComment(
  context: Dependencies,
  { articleId, text, parentId }: NewComment,
  wanted: Selection,
): Promise<CommentRow> {
  const { userId } = requirePerson(context.actor);
  const checks = new InputChecks();
  const plain = checks.text('text', text, { maxLength: maxTextLength });
  checks.assertPassed();
  await context.rateLimiter.charge([{ action: 'comment', key: String(userId) }]);
  return context.transaction(async db => {
    await lockArticle(db, context, articleId);
    const parent = await resolveParent(db, userId, articleId, parentId);
    // Counts are updated in the same statement.
    const written = await sql<{ id: number }>`
      with written as (
        insert into article_comment (article_id, user_id, parent_id, text, created_at)
        values (${articleId}, ${userId}, ${parent}, ${plain}, ${context.now().toISOString()}) returning id
      ), counted as (
        update article set comment_count = comment_count + 1 where id = ${articleId}
      ), replied as (
        update article_comment set replies_count = replies_count + 1 where id = ${parent}
      )
      select id from written`.execute(db);
    return commentById(db, context, written.rows[0]?.id ?? 0, wanted);
  });
}

/** Parent of a reply to `parentId`: that comment, or its own parent. */
async function resolveParent(
  db: Kysely<unknown>,
  userId: number,
  articleId: number,
  parentId: number | null | undefined,
): Promise<number | null> {
  if (parentId === null || parentId === undefined) return null;
  const { rows } = await sql<{ top: number }>`select coalesce(c.parent_id, c.id) as top from article_comment c
    where c.id = ${parentId} and c.article_id = ${articleId} and c.deleted_at is null
      and ${notBlockedBetween(userId, 'c.user_id')}`.execute(db);
  const [found] = rows;
  if (!found) throw invalidInput({ parentId: [`Invalid pk "${parentId}" - object does not exist.`] });
  return found.top;
}
