import { type RawBuilder, sql } from 'kysely';
import type { Oid } from './object.ts';
import { oidBytes } from './repository.ts';

/** An object of one of many repositories. */
export interface ObjectKey {
  repositoryId: number;
  oid: Oid;
}

/** FROM item `n` with the repository, the id and the place of each key, from 0. */
export function keysSql(keys: readonly ObjectKey[]): RawBuilder<unknown> {
  const [repositories, oids] = [keys.map(key => key.repositoryId), keys.map(key => oidBytes(key.oid))];
  return sql`(select repository_id, oid, (place - 1)::int as place
    from unnest(${repositories}::bigint[], ${oids}::bytea[]) with ordinality as k (repository_id, oid, place)) as n`;
}
