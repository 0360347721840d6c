import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { nameTaken } from './create-repository.ts';
import { redirectFormerName } from './former-name.ts';
import { recordRepositoryEvent } from './repository-events.ts';

/**
 * Renames a repository. The old name redirects until another repository of the owner takes it. The name must have been validated.
 *
 * @throws 422 for a name that is taken.
 */
export async function renameRepository(
  db: Kysely<unknown>,
  context: Pick<Context, 'actor' | 'now'>,
  { id, name }: { id: number; name: string },
): Promise<void> {
  const locked = await sql<{ ownerId: number; name: string }>`
    select owner_id as "ownerId", name from repository where id = ${id} for update`.execute(db);
  const [from] = locked.rows;
  if (!from) throw notFound();
  if (from.name === name) return;
  try {
    await sql`update repository set name = ${name}, updated_at = ${context.now()} where id = ${id}`.execute(db);
  } catch (error) {
    if (!isUniqueViolation(error, 'repository_name')) throw error;
    throw validationFailed([nameTaken]);
  }
  await redirectFormerName(db, { repositoryId: id, from, to: { ...from, name }, at: context.now() });
  await recordRepositoryEvent(db, context, id, 'renamed', { changes: { repository: { name: { from: from.name } } } });
}
