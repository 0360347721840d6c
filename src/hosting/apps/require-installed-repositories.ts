import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { validationFailed } from '../../errors/errors.ts';
import { repositoryKey } from '../repositories/repository-name.ts';
import type { InstallationRow } from './apps.queries.ts';

/** Maximum repositories that a token can be restricted to. */
const maxRepositories = 500;

/**
 * Ids of an installation's repositories, given by name or id.
 *
 * @throws 422 when one of them does not exist or is not included.
 */
export async function requireInstalledRepositories(
  { read }: Pick<Context, 'read'>,
  { databaseId, accountId, repositorySelection }: InstallationRow,
  names: readonly string[],
  ids: readonly number[],
): Promise<number[]> {
  if (names.length + ids.length > maxRepositories)
    throw validationFailed([], `A token can be narrowed to at most ${maxRepositories} repositories.`);
  const keys = names.map(name => repositoryKey(name) ?? '');
  const found = await read(sql<{ id: number; name: string }>`
    select r.id, lower(r.name) as name from repository r
    where r.owner_id = ${accountId} and (lower(r.name) = any(${keys}) or r.id = any(${[...ids]}::bigint[]))
      and (${repositorySelection === 'all'} or exists (select 1 from installation_repository ir
        where ir.installation_id = ${databaseId} and ir.repository_id = r.id))`);
  const known = new Set<unknown>(found.flatMap(({ id, name }) => [id, name]));
  if ([...keys, ...ids].every(one => known.has(one))) return found.map(({ id }) => id);
  throw validationFailed(
    [],
    'There is at least one repository that does not exist or is not accessible to the parent installation.',
  );
}
