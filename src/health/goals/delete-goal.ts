import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';

/**
 * Soft-deletes one of the caller's goals: only the data export still returns it.
 * @throws NotFound
 */
export async function deleteGoal(context: Pick<Context, 'actor' | 'now' | 'transaction'>, id: number): Promise<void> {
  const at = context.now().toISOString();
  const gone = await context.transaction(db =>
    sql`update health_goal set deleted_at = ${at}, updated_at = ${at}
      where id = ${id} and user_id = ${requirePerson(context.actor).userId} and deleted_at is null returning id`.execute(
      db,
    ),
  );
  if (gone.rows.length === 0) throw notFound();
}
