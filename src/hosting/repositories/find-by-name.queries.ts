import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { type OwnedRow, repositoryByFormerName, repositoryFor, repositorySelectList } from './repositories.queries.ts';
import { visibleTo } from './repository-access.ts';
import { repositoryKey } from './repository-name.ts';

/** The repository that had the name, or whose owner had the login. Null when the caller cannot see it. */
export async function findRenamed(
  context: Context,
  { owner, name }: { owner: string; name: string },
  wanted: Selection,
): Promise<OwnedRow | null> {
  const former = await repositoryByFormerName(context, owner, name);
  return former && repositoryFor(context, { id: former.id }, 'metadata:read', wanted);
}

/** DataLoader batch function: repositories by `<id of the owner>/<name>`; null for those that the caller cannot see. */
export function ownedByName(
  context: Context,
  keys: readonly string[],
  wanted: Selection,
): Promise<(OwnedRow | null)[]> {
  return owned(context, keys, wanted, sql`repository r on r.owner_id = asked.owner_id and lower(r.name) = asked.name`);
}

/** DataLoader batch function: like `ownedByName`, by a former name. A name in use is no former name. */
export function ownedByFormerName(
  context: Context,
  keys: readonly string[],
  wanted: Selection,
): Promise<(OwnedRow | null)[]> {
  const former = sql`former_repository_name f on f.owner_id = asked.owner_id and f.name = asked.name
    join repository r on r.id = f.repository_id`;
  return owned(context, keys, wanted, former);
}

async function owned(
  context: Context,
  keys: readonly string[],
  wanted: Selection,
  join: RawBuilder<unknown>,
): Promise<(OwnedRow | null)[]> {
  const owners = keys.map(key => Number.parseInt(key, 10));
  // An invalid name is the name of none.
  const names = keys.map(key => repositoryKey(key.slice(key.indexOf('/') + 1)) ?? '');
  const found = await context.read(sql<OwnedRow & { place: number }>`
    select ${repositorySelectList(wanted, context)}, asked.place::int as place
    from unnest(${owners}::bigint[], ${names}::text[]) with ordinality as asked (owner_id, name, place)
    join ${join} join account o on o.id = r.owner_id where ${visibleTo(context.actor)}`);
  const byPlace = new Map(found.map(row => [row.place, row]));
  return keys.map((_key, index) => byPlace.get(index + 1) ?? null);
}
