import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';

/**
 * Deletes one of the caller's assessments permanently.
 * @throws notFound for any other id
 */
export async function deleteAssessment(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  id: string,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  await context.transaction(async db => {
    const deleted = await sql`delete from assessment where id = ${id} and user_id = ${userId} returning id`.execute(db);
    if (deleted.rows.length === 0) throw notFound();
  });
}
