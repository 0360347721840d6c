import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';

/**
 * Deletes the text of one of the caller's messages; the row stays as a placeholder. Idempotent.
 * @throws notFound for any other message
 */
export async function deleteChatMessage(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  id: string,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const deleted = await context.transaction(db =>
    sql`update chat_message set content = '', deleted_at = coalesce(deleted_at, ${context.now().toISOString()})
      where id = ${id} and author_id = ${userId} returning id`.execute(db),
  );
  if (deleted.rows.length === 0) throw notFound();
}
