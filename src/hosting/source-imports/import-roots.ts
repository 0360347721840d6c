import { sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import type { Oid } from '../../git/object.ts';

/**
 * What the import of a repository needs although no ref of the repository reaches it: the commits and tags of the source, from which
 * the next mapping of authors starts, and those that are not pushed yet. Some may not be stored.
 */
export async function listImportRoots(read: Read, repositoryId: number): Promise<Oid[]> {
  const rows = await read<{ oid: string }>(sql`
    select distinct encode(n.oid, 'hex') as oid
    from source_import i join source_import_ref r on r.import_id = i.id
    cross join lateral unnest(array[r.oid, r.mapped_oid]) as n (oid)
    where i.repository_id = ${repositoryId} and n.oid is not null`);
  return rows.map(({ oid }) => oid);
}
