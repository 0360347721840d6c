import { sql } from 'kysely';
import type { BranchProtectionRule, StoredActors } from '../../../schema/hosting/branch-protection-rule.ts';
import type { Read } from '../../db/read.ts';
import type { BypassActor } from './bypass.ts';
import type { RuleSource } from './load-rulesets.ts';
import type { Rule } from './rule.ts';

const prefix = 'refs/heads/';

/** The settings of a protected branch that pushes and lists of branches need. */
export type ProtectedBranch = Pick<
  BranchProtectionRule,
  | 'pattern'
  | 'isAdminEnforced'
  | 'requiresCommitSignatures'
  | 'requiresLinearHistory'
  | 'allowsForcePushes'
  | 'allowsDeletions'
  | 'blocksCreations'
  | 'lockBranch'
  | 'lockAllowsFetchAndMerge'
  | 'statusChecks'
  | 'reviews'
  | 'restrictions'
>;

const protectedBranchColumns = sql.raw(`p.pattern, p.is_admin_enforced as "isAdminEnforced",
  p.requires_commit_signatures as "requiresCommitSignatures", p.requires_linear_history as "requiresLinearHistory",
  p.allows_force_pushes as "allowsForcePushes", p.allows_deletions as "allowsDeletions", p.blocks_creations as "blocksCreations",
  p.lock_branch as "lockBranch", p.lock_allows_fetch_and_merge as "lockAllowsFetchAndMerge", p.status_checks as "statusChecks",
  p.reviews, p.restrictions`);

/** The protected ones among refs of a repository, by full ref name. */
export async function loadProtectedBranches(
  read: Read,
  repositoryId: number,
  refs: readonly string[],
): Promise<Map<string, ProtectedBranch>> {
  const names = refs.flatMap(ref => (ref.startsWith(prefix) ? [ref.slice(prefix.length)] : []));
  if (names.length === 0) return new Map();
  const rows = await read(sql<ProtectedBranch>`select ${protectedBranchColumns} from branch_protection_rule p
    where p.repository_id = ${repositoryId} and p.pattern = any(${names}::text[])`);
  return new Map(rows.map(row => [prefix + row.pattern, row]));
}

/** The protection of each of these branches, in one statement; null for unprotected ones. */
export async function protectionsOfBranches(
  read: Read,
  branches: readonly { repositoryId: number; branch: string }[],
): Promise<(ProtectedBranch | null)[]> {
  const ids = branches.map(({ repositoryId }) => repositoryId);
  const rows = await read(sql<ProtectedBranch & { at: number }>`select w.at, ${protectedBranchColumns}
    from unnest(${ids}::bigint[], ${branches.map(({ branch }) => branch)}::text[], ${branches.map((_, at) => at)}::int[])
      as w (repository_id, pattern, at)
    join branch_protection_rule p on p.repository_id = w.repository_id and p.pattern = w.pattern
    where p.repository_id = any(${[...new Set(ids)]}::bigint[])`);
  const found = new Map(rows.map(row => [row.at, row]));
  return branches.map((_, at) => found.get(at) ?? null);
}

/** Administrators follow the rules only where that is enforced. */
const administrators: readonly BypassActor[] = [
  { actor_type: 'RepositoryRole', actor_id: 5, bypass_mode: 'always' },
  { actor_type: 'OrganizationAdmin', actor_id: null, bypass_mode: 'always' },
];

const exempt = ({ users, apps }: StoredActors): BypassActor[] => [
  ...users.map((actor_id): BypassActor => ({ actor_type: 'User', actor_id, bypass_mode: 'exempt' })),
  ...apps.map((actor_id): BypassActor => ({ actor_type: 'Integration', actor_id, bypass_mode: 'exempt' })),
];

const nobody: StoredActors = { users: [], apps: [] };

/**
 * The rules of a protected branch, grouped by who is exempt from them. Required status checks and conversations are no rules: nothing
 * reports them. A branch that is created is checked only where creation is restricted.
 */
export function rulesOfProtectedBranch(branch: ProtectedBranch, isCreated: boolean): RuleSource[] {
  if (isCreated && !branch.blocksCreations) return [];
  const { reviews, restrictions } = branch;
  const bypassActors = branch.isAdminEnforced ? [] : administrators;
  const source = (rules: readonly Rule[], exempted: StoredActors): RuleSource[] =>
    rules.length === 0
      ? []
      : [
          {
            ...{ id: null, name: branch.pattern, enforcement: 'active', rules },
            bypassActors: [...exempt(exempted), ...bypassActors],
          },
        ];
  const forAll: Rule[] = [];
  if (branch.requiresCommitSignatures) forAll.push({ type: 'required_signatures' });
  if (branch.requiresLinearHistory) forAll.push({ type: 'required_linear_history' });
  if (!branch.allowsForcePushes) forAll.push({ type: 'non_fast_forward' });
  if (!branch.allowsDeletions) forAll.push({ type: 'deletion' });
  const update: Rule = {
    type: 'update',
    parameters: { update_allows_fetch_and_merge: branch.lockAllowsFetchAndMerge },
  };
  if (branch.lockBranch) forAll.push(update);
  const restricted: Rule[] = restrictions === null ? [] : [update];
  if (restrictions !== null && branch.blocksCreations) restricted.push({ type: 'creation' });
  return [
    ...source(forAll, nobody),
    ...source(reviews === null ? [] : [{ type: 'pull_request', parameters: {} }], reviews?.bypass ?? nobody),
    ...source(restricted, restrictions ?? nobody),
  ];
}
