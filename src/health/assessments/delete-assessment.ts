import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { personOf } from '../accounts/person.ts';
import { refreshTerms } from '../profiles/refresh-terms.ts';

/** Deletes one of the caller's own assessments for good. Throws notFound for any other. */
export async function deleteAssessment(
  context: Pick<Context, 'actor' | 'now' | 'transaction'>,
  id: string,
): Promise<void> {
  const { userId } = personOf(context.actor);
  await context.transaction(async db => {
    const deleted = await sql`delete from assessment where id = ${id} and user_id = ${userId} returning id`.execute(db);
    if (deleted.rows.length === 0) throw notFound();
    await refreshTerms(db, [userId], context.now());
  });
}
