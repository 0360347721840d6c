import { sql } from 'kysely';
import type { GitBranch } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';

/** The branches of a repository, sorted by name as in git. */
export async function pageOfBranches(context: Context, address: RepositoryAddress): Promise<ListSource<GitBranch>> {
  const { row } = await openContents(context, address, 'contents:read');
  // The range of all names that begin with `refs/heads/`: 0 is the character after the slash.
  const where = sql`repository_id = ${row.databaseId} and name >= 'refs/heads/' and name < 'refs/heads0'`;
  return {
    rows: ({ limit, offset }) =>
      context.read(sql<GitBranch>`select substr(name, 12) as name, encode(oid, 'hex') as sha
        from git_ref where ${where} order by git_ref.name limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await context.read(
        sql<{ total: number }>`select count(*)::int as total from git_ref where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
}
