import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { recordRepositoryEvent } from './repository-events.ts';

/**
 * Renames a repository. The old name redirects until another repository of the owner takes it. The name must have been validated.
 *
 * @throws 422 for a name that is taken.
 */
export async function renameRepository(
  db: Kysely<unknown>,
  context: Pick<Context, 'actor' | 'now'>,
  { id, ownerId, name }: { id: number; ownerId: number; name: string },
): Promise<void> {
  const key = name.toLowerCase();
  const locked = await sql<{ name: string }>`select name from repository where id = ${id} for update`.execute(db);
  const formerly = locked.rows[0]?.name;
  if (formerly === undefined) throw notFound();
  if (formerly === name) return;
  const before = formerly.toLowerCase();
  try {
    await sql`update repository set name = ${name}, updated_at = ${context.now()} where id = ${id}`.execute(db);
  } catch (error) {
    if (!isUniqueViolation(error, 'repository_name')) throw error;
    throw validationFailed([{ resource: 'Repository', field: 'name', code: 'already_exists' }]);
  }
  await sql`delete from former_repository_name where owner_id = ${ownerId} and name = ${key}`.execute(db);
  await recordRepositoryEvent(db, context, id, 'renamed', { changes: { repository: { name: { from: formerly } } } });
  if (before === key) return;
  await sql`insert into former_repository_name (owner_id, name, repository_id, left_at)
    values (${ownerId}, ${before}, ${id}, ${context.now()})
    on conflict (owner_id, name) do update set repository_id = excluded.repository_id, left_at = excluded.left_at`.execute(
    db,
  );
}
