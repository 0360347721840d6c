import { type RawBuilder, sql } from 'kysely';
import type { Oid } from './object.ts';
import { oidBytes } from './repository.ts';

/** An object of one of many repositories. */
export interface ObjectKey {
  repositoryId: number;
  oid: Oid;
}

/**
 * FROM item `n` with the repository, the id and the place of each key, from 0. The keys of one repository have it as a constant, by which
 * the planner finds the server of a distributed table. To be joined laterally with LIMIT 1: with the constant, a plain join may read all
 * objects of the repository.
 */
export function keysSql(keys: readonly ObjectKey[]): RawBuilder<unknown> {
  const oids = keys.map(key => oidBytes(key.oid));
  const first = keys[0]?.repositoryId;
  if (first !== undefined && keys.every(({ repositoryId }) => repositoryId === first)) {
    return sql`(select ${first}::bigint as repository_id, oid, (place - 1)::int as place
      from unnest(${oids}::bytea[]) with ordinality as k (oid, place)) as n`;
  }
  return sql`(select repository_id, oid, (place - 1)::int as place
    from unnest(${keys.map(key => key.repositoryId)}::bigint[], ${oids}::bytea[]) with ordinality as k (repository_id, oid, place)) as n`;
}
