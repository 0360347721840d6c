import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { createdBranches } from '../pushes/first-branch.ts';
import type { PreparedPush } from '../pushes/prepared-push.ts';

/** Records that a branch has another name now, also for its earlier names. In the transaction of the push that renames it. */
export async function recordFormerBranchName(
  db: Kysely<unknown>,
  repositoryId: number,
  { name, newName }: { name: string; newName: string },
): Promise<void> {
  await sql`update former_branch_name set new_name = ${newName}
    where repository_id = ${repositoryId} and new_name = ${name}`.execute(db);
  await sql`insert into former_branch_name (repository_id, name, new_name) values (${repositoryId}, ${name}, ${newName})
    on conflict (repository_id, name) do update set new_name = excluded.new_name`.execute(db);
}

/** Step of a push: a branch that is created ends the redirect from its name. */
export async function forgetFormerBranchNames({ repository, changes }: PreparedPush): Promise<void> {
  const created = createdBranches(changes);
  if (created.length === 0) return;
  await sql`delete from former_branch_name
    where repository_id = ${repository.id} and name = any(${created}::text[])`.execute(repository.db);
}

/** Short name of the branch that had this name before; undefined for none. */
export async function findRenamedBranch(
  { read }: Pick<Context, 'read'>,
  repositoryId: number,
  name: string,
): Promise<string | undefined> {
  const [found] = await read(sql<{ newName: string }>`select f.new_name as "newName" from former_branch_name f
    where f.repository_id = ${repositoryId} and f.name = ${name} and exists (
      select 1 from git_ref g where g.repository_id = f.repository_id and g.name = 'refs/heads/' || f.new_name)`);
  return found?.newName;
}
