import { sql } from 'kysely';
import { type Oid, typeNumbers } from '../object.ts';
import type { LoadedObject } from '../object-cache.ts';
import { decodeRows, type ObjectRow } from '../read-objects.ts';
import { oidBytes, type Repository } from '../repository.ts';

/**
 * Trees that one statement reads, and their bytes. A tree takes ten times its bytes when it is parsed. 50,000 files in 3,000 directories
 * take 20 statements instead of 3,000.
 */
export const maxTreesPerRead = { trees: 200, bytes: 256 * 1024 };

/** Reads the first tree, and those after it while their bytes fit into `maxTreesPerRead`. Ids that are no trees are absent. */
export async function readTrees(repository: Repository, wanted: readonly Oid[]): Promise<LoadedObject[]> {
  const { id, read } = repository;
  // Lateral, each by its key: see `indexCommits`.
  const rows = await read<ObjectRow>(sql`
    select oid, type, size, z from (
      select o.oid, o.type, o.size, o.z, n.place, sum(o.size) over (order by n.place) as total
      from unnest(${wanted.map(oidBytes)}::bytea[]) with ordinality as n (oid, place)
      cross join lateral (select oid, type, size, z from git_object
        where repository_id = ${id} and oid = n.oid and type = ${typeNumbers.tree} limit 1) o
    ) as sized where place = 1 or total <= ${maxTreesPerRead.bytes}`);
  return decodeRows(repository, rows);
}
