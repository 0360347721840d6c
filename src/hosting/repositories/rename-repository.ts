import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';
import { recordRepositoryEvent } from './repository-events.ts';
import { nameProblems } from './repository-name.ts';

/**
 * Renames a repository. The old name redirects until another repository of the owner takes it.
 *
 * @throws 422 for an invalid name or one that is taken.
 */
export async function renameRepository(context: Context, address: RepositoryAddress, name: string): Promise<number> {
  const problems = nameProblems(name);
  if (problems.length > 0) throw validationFailed(problems);
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  const { databaseId: id, ownerId } = found;
  const key = name.toLowerCase();
  try {
    await context.transaction(async db => {
      const locked = await sql<{ name: string }>`select name from repository where id = ${id} for update`.execute(db);
      const formerly = locked.rows[0]?.name;
      if (formerly === undefined) throw notFound();
      const before = formerly.toLowerCase();
      await sql`update repository set name = ${name}, updated_at = ${context.now()} where id = ${id}`.execute(db);
      await sql`delete from former_repository_name where owner_id = ${ownerId} and name = ${key}`.execute(db);
      if (formerly !== name) {
        const changes = { repository: { name: { from: formerly } } };
        await recordRepositoryEvent(db, context, id, 'renamed', { changes });
      }
      if (before === key) return;
      await sql`insert into former_repository_name (owner_id, name, repository_id, left_at)
        values (${ownerId}, ${before}, ${id}, ${context.now()})
        on conflict (owner_id, name) do update set repository_id = excluded.repository_id, left_at = excluded.left_at`.execute(
        db,
      );
    });
  } catch (error) {
    if (isUniqueViolation(error, 'repository_name')) {
      throw validationFailed([{ resource: 'Repository', field: 'name', code: 'already_exists' }]);
    }
    throw error;
  }
  return id;
}
