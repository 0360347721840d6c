import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** Makes a repository read-only, or takes that back. */
export async function setArchived(context: Context, address: RepositoryAddress, isArchived: boolean): Promise<number> {
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  await context.transaction(db =>
    sql`update repository set is_archived = ${isArchived}, updated_at = ${context.now()}
      where id = ${found.databaseId}`.execute(db),
  );
  return found.databaseId;
}
