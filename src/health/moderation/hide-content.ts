import { type Kysely, sql } from 'kysely';
import { resealSegment } from '../chat/message-search.ts';

/**
 * Deletes the text of a message as its author would. Returns it; null when it was deleted before.
 */
export async function hideMessage(db: Kysely<unknown>, id: string, now: Date): Promise<string | null> {
  await lockConversation(db, id);
  const hidden = await sql<{ content: string }>`
    update chat_message m set content = '', deleted_at = ${now}
    from (select id, content from chat_message where id = ${id} and deleted_at is null for update) before
    where m.id = before.id returning before.content`.execute(db);
  await resealSegment(id, null).execute(db);
  return hidden.rows[0]?.content ?? null;
}

/** The same for a comment: it stays listed, without text, while it has replies. */
export async function hideComment(db: Kysely<unknown>, id: number, now: Date): Promise<string | null> {
  await lockArticle(db, id);
  const hidden = await sql<{ content: string }>`
    with hidden as (
      update article_comment c set deleted_at = ${now}, text = ''
      from (select id, text from article_comment where id = ${id} and deleted_at is null for update) before
      where c.id = before.id returning c.article_id, c.parent_id, before.text),
    counted as (
      update article set comment_count = comment_count - 1 where id = (select article_id from hidden)),
    unreplied as (
      update article_comment set replies_count = replies_count - 1 where id = (select parent_id from hidden))
    select text as content from hidden`.execute(db);
  return hidden.rows[0]?.content ?? null;
}

/** What a moderator hid, and when. */
export interface HiddenContent {
  content: string;
  hiddenAt: Date;
}

/** Gives a hidden message its text again, where it stood. Returns false if its author has deleted it since. */
export async function restoreMessage(
  db: Kysely<unknown>,
  id: string,
  { content, hiddenAt }: HiddenContent,
): Promise<boolean> {
  await lockConversation(db, id);
  const restored = await sql`update chat_message set content = ${content}, deleted_at = null
    where id = ${id} and deleted_at = ${hiddenAt} returning id`.execute(db);
  await resealSegment(id, null).execute(db);
  return restored.rows.length > 0;
}

/** The same for a comment, which is counted again. */
export async function restoreComment(
  db: Kysely<unknown>,
  id: number,
  { content, hiddenAt }: HiddenContent,
): Promise<boolean> {
  await lockArticle(db, id);
  const restored = await sql`
    with restored as (
      update article_comment set deleted_at = null, text = ${content} where id = ${id} and deleted_at = ${hiddenAt}
      returning article_id, parent_id),
    counted as (
      update article set comment_count = comment_count + 1 where id = (select article_id from restored)),
    replied as (
      update article_comment set replies_count = replies_count + 1 where id = (select parent_id from restored))
    select article_id from restored`.execute(db);
  return restored.rows.length > 0;
}

/** Senders index the messages of their conversation, and must not index a text that changes meanwhile. */
async function lockConversation(db: Kysely<unknown>, messageId: string): Promise<void> {
  for (const [table, column] of [
    ['private_chat', 'chat_id'],
    ['chat_group', 'group_id'],
  ] as const) {
    await sql`select from ${sql.table(table)}
      where id = (select ${sql.ref(column)} from chat_message where id = ${messageId}) for no key update`.execute(db);
  }
}

/** Lock the article first, as all writers of comment counts do, to avoid deadlocks. */
async function lockArticle(db: Kysely<unknown>, commentId: number): Promise<void> {
  await sql`select from article
    where id = (select article_id from article_comment where id = ${commentId}) for no key update`.execute(db);
}
