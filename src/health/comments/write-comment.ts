import { type Kysely, sql } from 'kysely';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { Checks } from '../../errors/checks.ts';
import { invalidInput } from '../../errors/errors.ts';
import { personOf } from '../accounts/person.ts';
import { holdArticle } from '../articles/articles.queries.ts';
import { type CommentRow, commentById } from './comments.queries.ts';

export interface NewComment {
  articleId: number;
  text: string;
  parentId?: number | null | undefined;
}

const longest = 2_000;

type Surroundings = Pick<Context, 'actor' | 'now' | 'origin' | 'throttle' | 'transaction'>;

/**
 * Writes a comment under an article, or as a reply. Replies are one level deep: a reply to a reply stands beside it. The text
 * is kept as it is, and is plain text: markup in it means nothing. Throws for an article that is not to be seen, for a parent
 * that is not a comment of it, and when somebody writes too much.
 */
export async function writeComment(
  context: Surroundings,
  { articleId, text, parentId }: NewComment,
  wanted: Selection,
): Promise<CommentRow> {
  const { userId } = personOf(context.actor);
  const checks = new Checks();
  const plain = checks.text('text', text, { most: longest });
  checks.done();
  await context.throttle.spend([{ budget: 'comment', key: String(userId) }]);
  return context.transaction(async db => {
    await holdArticle(db, context, articleId);
    const parent = await topOf(db, articleId, parentId);
    // The counts are written with the comment, never after it.
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

/** The comment that a reply to `parentId` is stored under: that one, or the one it replies to itself. */
async function topOf(
  db: Kysely<unknown>,
  articleId: number,
  parentId: number | null | undefined,
): Promise<number | null> {
  if (parentId === null || parentId === undefined) return null;
  const { rows } = await sql<{ top: number }>`select coalesce(parent_id, id) as top from article_comment
    where id = ${parentId} and article_id = ${articleId} and deleted_at is null`.execute(db);
  const [found] = rows;
  if (!found) throw invalidInput({ parent: [`Invalid pk "${parentId}" - object does not exist.`] });
  return found.top;
}
