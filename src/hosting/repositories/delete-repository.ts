import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { setStatementTimeout } from '../../db/statement-timeout.ts';
import { notFound } from '../../errors/errors.ts';
import { endCopies } from './copy-git-data.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** Statement timeout in milliseconds. Longer than for other statements, because all objects are deleted. */
const deletionTimeoutMs = 300_000;

/**
 * Deletes a repository with its git data, events, rules and collaborations. Forks of a public repository stay; forks of a private one
 * are deleted as well, because their readers lose the access that they had by their origin. Returns the repository's id.
 *
 * @throws 404 when the caller cannot see it; 403 when the caller does not administer it
 */
export async function deleteRepository(context: Context, address: RepositoryAddress): Promise<number> {
  const found = await repositoryFor(context, address, 'administration:write');
  if (!found) throw notFound();
  const { databaseId } = found;
  await context.transaction(async db => {
    await setStatementTimeout(db, deletionTimeoutMs);
    await endCopies(db, databaseId);
    const ids = await lockWithForks(db, databaseId);
    if (ids.length === 0) throw notFound();
    // Events have no foreign key, because they are partitioned by time.
    await sql`delete from event where repository_id = any(${ids}::bigint[])`.execute(db);
    await sql`delete from repository where id = any(${ids}::bigint[])`.execute(db);
  });
  return databaseId;
}

/**
 * The repository and, if it is private, the private forks below it; all locked. A fork that is being made locks its origin, so that
 * the wait for it can end with one more: looked for again until there is none.
 */
async function lockWithForks(db: Kysely<unknown>, id: number): Promise<number[]> {
  let locked: number[] = [];
  let before: number;
  do {
    before = locked.length;
    const { rows } = await sql<{ id: number }>`
      with recursive deleted as (
        select r.id, r.is_private from repository r where r.id = ${id}
        union
        select f.id, f.is_private from deleted d join repository f on f.parent_id = d.id
        where d.is_private and f.is_private)
      select r.id from repository r where r.id in (select id from deleted) order by r.id for update`.execute(db);
    locked = rows.map(row => Number(row.id));
  } while (locked.length > before);
  return locked;
}
