import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';
import { recordRepositoryEvent } from './repository-events.ts';

/** Archives a repository, which makes it read-only, or unarchives it. Idempotent. Returns the repository's id. */
export async function setArchived(context: Context, address: RepositoryAddress, isArchived: boolean): Promise<number> {
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  await context.transaction(db => changeArchived(db, context, found.databaseId, isArchived));
  return found.databaseId;
}

/** The same for a repository that the caller administers, within a transaction. */
export async function changeArchived(
  db: Kysely<unknown>,
  context: Pick<Context, 'actor' | 'now'>,
  id: number,
  isArchived: boolean,
): Promise<void> {
  const changed = await sql`update repository set is_archived = ${isArchived}, updated_at = ${context.now()}
    where id = ${id} and is_archived <> ${isArchived} returning id`.execute(db);
  if (changed.rows.length === 0) return;
  await recordRepositoryEvent(db, context, id, isArchived ? 'archived' : 'unarchived');
}
