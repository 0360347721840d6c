import { sql } from 'kysely';
import type { Repository } from '../repository.ts';

/** Number of transactions of garbage collections that have deleted objects of the repository. Copies elsewhere compare it. */
export async function readRemovals({ id, read }: Pick<Repository, 'id' | 'read'>): Promise<number> {
  const [row] = await read<{ removals: number }>(sql`select removals from git_maintenance where repository_id = ${id}`);
  return row?.removals ?? 0;
}
