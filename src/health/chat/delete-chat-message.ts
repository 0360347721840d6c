import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { resealSegment } from './message-search.ts';

/**
 * Deletes the text of one of the caller's messages; the row stays as a placeholder. Idempotent, but for the time: a message that a
 * moderator has hidden is not restored once its author has deleted it.
 * @throws notFound for any other message
 */
export async function deleteChatMessage(
  context: Pick<Context, 'actor' | 'now' | 'pipeline'>,
  id: string,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const lockOf = (table: string, column: string): RawBuilder<unknown> =>
    sql`select from ${sql.table(table)} where id = (select ${sql.ref(column)} from chat_message
      where id = ${id} and author_id = ${userId}) for no key update`;
  const [, , deleted] = await context.pipeline([
    // Senders index the messages of their conversation, and must not index the text that is deleted here.
    lockOf('private_chat', 'chat_id'),
    lockOf('chat_group', 'group_id'),
    sql`update chat_message set content = '', deleted_at = ${context.now().toISOString()}
      where id = ${id} and author_id = ${userId} returning id`,
    resealSegment(id, userId),
  ]);
  if (deleted.length === 0) throw notFound();
}
