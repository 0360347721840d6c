import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';

/** Deletes an entry of the caller for good. */
export async function deleteSymptomLog(context: Pick<Context, 'actor' | 'transaction'>, id: number): Promise<void> {
  const gone = await context.transaction(db =>
    sql`delete from symptom_log where id = ${id} and user_id = ${requirePerson(context.actor).userId} returning id`.execute(
      db,
    ),
  );
  if (gone.rows.length === 0) throw notFound();
}
