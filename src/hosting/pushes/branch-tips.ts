import { sql } from 'kysely';
import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';

/** The commits that the branches of a repository point to, each once. */
export async function readBranchTips({ id, read }: Pick<Repository, 'id' | 'read'>): Promise<Oid[]> {
  const rows = await read<{ oid: Buffer }>(sql`select distinct oid from git_ref
    where repository_id = ${id} and name >= 'refs/heads/' and name < 'refs/heads0'`);
  return rows.map(({ oid }) => oid.toString('hex'));
}
