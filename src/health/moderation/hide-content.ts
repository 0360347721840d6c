import { type Kysely, sql } from 'kysely';
import { resealSegment } from '../chat/message-search.ts';

/**
 * Deletes the text of a message as its author would. Returns it; null when it was deleted before.
 */
export async function hideMessage(db: Kysely<unknown>, id: string, now: Date): Promise<string | null> {
  // Senders index the messages of their conversation, and must not index the text that is deleted here.
  for (const [table, column] of [
    ['private_chat', 'chat_id'],
    ['chat_group', 'group_id'],
  ] as const) {
    await sql`select from ${sql.table(table)}
      where id = (select ${sql.ref(column)} from chat_message where id = ${id}) for no key update`.execute(db);
  }
  const hidden = await sql<{ content: string }>`
    update chat_message m set content = '', deleted_at = ${now}
    from (select id, content from chat_message where id = ${id} and deleted_at is null for update) before
    where m.id = before.id returning before.content`.execute(db);
  await resealSegment(id, null).execute(db);
  return hidden.rows[0]?.content ?? null;
}

/** The same for a comment: it stays listed, without text, while it has replies. */
export async function hideComment(db: Kysely<unknown>, id: number, now: Date): Promise<string | null> {
  // Lock the article first, as all writers of comment counts do, to avoid deadlocks.
  await sql`select from article where id = (select article_id from article_comment where id = ${id}) for no key update`.execute(
    db,
  );
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
