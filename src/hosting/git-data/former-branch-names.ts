import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
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
  await sql`insert into former_branch_name (repository_id, name, new_name, left_at) values (${repositoryId}, ${name}, ${newName}, now())
    on conflict (repository_id, name) do update set new_name = excluded.new_name, left_at = excluded.left_at`.execute(
    db,
  );
}

/** Step of a push: a branch that is created ends the redirect from its name. */
export async function forgetFormerBranchNames({ repository, changes }: PreparedPush): Promise<void> {
  const created = createdBranches(changes);
  if (created.length === 0) return;
  await sql`delete from former_branch_name
    where repository_id = ${repository.id} and name = any(${created}::text[])`.execute(repository.db);
}

interface BranchKey {
  repositoryId: number;
  name: string;
}

/** DataLoader batch function: short names of the branches that had these names before, in one statement; null for none. */
async function loadRenamedBranches(
  { read }: Pick<Context, 'read'>,
  keys: readonly BranchKey[],
): Promise<(string | null)[]> {
  const repositoryIds = keys.map(({ repositoryId }) => repositoryId);
  const rows = await read(sql<{ place: number; newName: string }>`select w.place::int as place, f.new_name as "newName"
    from unnest(${repositoryIds}::bigint[], ${keys.map(({ name }) => name)}::text[]) with ordinality as w (repository_id, name, place)
    join former_branch_name f on f.repository_id = w.repository_id and f.name = w.name
    where f.repository_id = any(${repositoryIds}::bigint[]) and exists (
      select 1 from git_ref g where g.repository_id = f.repository_id and g.name = 'refs/heads/' || f.new_name)`);
  const found = new Map(rows.map(({ place, newName }) => [place - 1, newName]));
  return keys.map((_, index) => found.get(index) ?? null);
}

/** Short name of the branch that had this name before; null for none. */
export const findRenamedBranch = (context: Context, repositoryId: number, name: string): Promise<string | null> =>
  context.load(loadRenamedBranches, noSelection).load({ repositoryId, name });
