import { type RawBuilder, sql } from 'kysely';
import { BranchProtectionRule } from '../../../schema/hosting/branch-protection-rule.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { absent } from '../../errors/errors.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { gitProblems } from '../git-problems.ts';
import { accessDecision } from '../repositories/repository-access.ts';

/** Protection of a branch with the names that its URLs need. */
export type ProtectionRow = Omit<BranchProtectionRule, 'id'> & {
  ownerLogin: string;
  repositoryName: string;
};

const ruleColumns = columnsOf(BranchProtectionRule, 'p', {
  always: ['databaseId', 'repositoryId', 'ownerLogin', 'repositoryName', 'statusChecks', 'reviews', 'restrictions'],
  computed: { databaseId: 'p.id', ownerLogin: 'o.login', repositoryName: 'r.name' },
})('all');

const ruleJoins = sql.raw(`branch_protection_rule p join repository r on r.id = p.repository_id
  join account o on o.id = r.owner_id`);

/** Path of the protection in the API. Slashes of the branch are encoded, as the path has one segment for it. */
export const protectionPath = ({ ownerLogin, repositoryName, pattern }: ProtectionRow): string =>
  `/repos/${ownerLogin}/${repositoryName}/branches/${encodeURIComponent(pattern)}/protection`;

/** @throws 404 for a name that no branch has */
export function requireBranchName(branch: string): string {
  if (!isBranchName(branch)) throw gitProblems.branchAbsentHere();
  return branch;
}

/** Whether a branch exists, and its protection. */
export type FoundProtection = { isBranch: boolean } & (ProtectionRow | { databaseId: null });

/** Statement for `FoundProtection`. */
export const protectionStatement = (repositoryId: number, branch: string): RawBuilder<FoundProtection> =>
  sql`select b.is_branch as "isBranch", found.* from (select exists (select 1 from git_ref g
      where g.repository_id = ${repositoryId} and g.name = ${`refs/heads/${branch}`}) as is_branch) b
    left join lateral (select ${ruleColumns} from ${ruleJoins}
      where p.repository_id = ${repositoryId} and p.pattern = ${branch}) found on true`;

/** The protection of a branch. @throws 404 for a branch that does not exist, and for one that is not protected */
export async function protectionOf(
  { read }: Pick<Context, 'read'>,
  repositoryId: number,
  branch: string,
): Promise<ProtectionRow> {
  const [found] = await read(protectionStatement(repositoryId, requireBranchName(branch)));
  return requireProtection(found);
}

/** @throws 404 as `protectionOf` */
export function requireProtection(found: FoundProtection | undefined): ProtectionRow {
  if (found?.isBranch !== true) throw gitProblems.branchAbsentHere();
  if (found.databaseId === null) throw absent({}, 'Branch not protected');
  return found;
}

/** DataLoader batch function: protections by id; null where the caller does not administer the repository. */
export async function protectionsByIds(
  { actor, read }: Context,
  ids: readonly number[],
): Promise<(ProtectionRow | null)[]> {
  const rows = await read(sql<ProtectionRow>`select ${ruleColumns} from ${ruleJoins}
    where p.id = any(${[...ids]}::bigint[]) and ${accessDecision(actor, 'administration:read')} = 'allowed'`);
  const byId = new Map(rows.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Protections of repositories by id, by the names of the branches. Access is checked by the caller. */
export const protectionLists = ({ read }: Pick<Context, 'read'>): BatchedSource<number, ProtectionRow> =>
  batchedTable(read, {
    keyType: 'bigint',
    select: () => ruleColumns,
    from: sql`branch_protection_rule p`,
    readFrom: ruleJoins,
    where: key => [sql`p.repository_id = ${key}`],
    order: sql`p.pattern`,
  });
