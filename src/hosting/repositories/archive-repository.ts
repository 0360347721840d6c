import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';
import { recordRepositoryEvent } from './repository-events.ts';

/** Archives a repository, which makes it read-only, or unarchives it. Idempotent. Returns the repository's id. */
export async function setArchived(context: Context, address: RepositoryAddress, isArchived: boolean): Promise<number> {
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  await context.transaction(async db => {
    const changed = await sql`update repository set is_archived = ${isArchived}, updated_at = ${context.now()}
      where id = ${found.databaseId} and is_archived <> ${isArchived} returning id`.execute(db);
    if (changed.rows.length === 0) return;
    await recordRepositoryEvent(db, context, found.databaseId, isArchived ? 'archived' : 'unarchived');
  });
  return found.databaseId;
}
