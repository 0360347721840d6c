import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { gitProblems } from '../git-problems.ts';
import { type OwnedRow, repositoryFor } from '../repositories/repositories.queries.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import type {
  ChangeBranchProtectionInput,
  ProtectBranchInput,
  UnprotectBranchInput,
} from './branch-protection-inputs.ts';
import {
  type ProtectionRow,
  protectionOf,
  protectionStatement,
  requireBranchName,
  requireProtection,
} from './branch-protections.queries.ts';
import { knownActors } from './known-actors.ts';
import { changedSettings, newSettings, type Settings } from './protection-settings.ts';

/** Protects a branch, or replaces its protection. @throws 404 for a branch that does not exist; 422 */
export async function protectBranch(context: Context, input: ProtectBranchInput): Promise<ProtectionRow> {
  const { row, branch } = await administeredBranch(context, input);
  await context.transaction(async db => {
    const found = await lockedProtection(db, row, branch);
    if (found?.isBranch !== true) throw gitProblems.branchAbsentHere();
    const before = found.databaseId === null ? null : found;
    await store(db, row.databaseId, branch, newSettings(input, before, await knownActors(db, row, input)));
  });
  return protectionOf(context, row.databaseId, branch);
}

/** Changes some settings of a protected branch. @throws 404 for an unprotected one, and for a part that is not enabled; 422 */
export async function changeBranchProtection(
  context: Context,
  input: ChangeBranchProtectionInput,
): Promise<ProtectionRow> {
  const { row, branch } = await administeredBranch(context, input);
  await context.transaction(async db => {
    const before = requireProtection(await lockedProtection(db, row, branch));
    await store(db, row.databaseId, branch, changedSettings(before, input, await knownActors(db, row, input)));
  });
  return protectionOf(context, row.databaseId, branch);
}

/** Ends the protection of a branch. @throws 404 for an unprotected one */
export async function unprotectBranch(context: Context, input: UnprotectBranchInput): Promise<string> {
  const { row, branch } = await administeredBranch(context, input);
  await context.transaction(async db => {
    requireProtection(await lockedProtection(db, row, branch));
    await sql`delete from branch_protection_rule
      where repository_id = ${row.databaseId} and pattern = ${branch}`.execute(db);
  });
  return branch;
}

async function administeredBranch(
  context: Context,
  { repository, branch }: UnprotectBranchInput,
): Promise<{ row: OwnedRow; branch: string }> {
  const row = await repositoryFor(context, addressOfRef(repository), 'administration:write');
  if (!row) throw notFound();
  return { row, branch: requireBranchName(branch) };
}

/** The protection of a branch, with a lock on the repository against other changes of it. */
async function lockedProtection(db: Kysely<unknown>, { databaseId }: OwnedRow, branch: string) {
  await sql`select 1 from repository where id = ${databaseId} for no key update`.execute(db);
  return (await protectionStatement(databaseId, branch).execute(db)).rows[0];
}

async function store(db: Kysely<unknown>, repositoryId: number, branch: string, settings: Settings): Promise<void> {
  const json = (value: object | null): string | null => value && JSON.stringify(value);
  await sql`insert into branch_protection_rule (repository_id, pattern, is_admin_enforced, requires_commit_signatures,
      requires_linear_history, allows_force_pushes, allows_deletions, blocks_creations, requires_conversation_resolution,
      lock_branch, lock_allows_fetch_and_merge, status_checks, reviews, restrictions)
    values (${repositoryId}, ${branch}, ${settings.isAdminEnforced}, ${settings.requiresCommitSignatures},
      ${settings.requiresLinearHistory}, ${settings.allowsForcePushes}, ${settings.allowsDeletions}, ${settings.blocksCreations},
      ${settings.requiresConversationResolution}, ${settings.lockBranch}, ${settings.lockAllowsFetchAndMerge},
      ${json(settings.statusChecks)}, ${json(settings.reviews)}, ${json(settings.restrictions)})
    on conflict (repository_id, pattern) do update set is_admin_enforced = excluded.is_admin_enforced,
      requires_commit_signatures = excluded.requires_commit_signatures,
      requires_linear_history = excluded.requires_linear_history, allows_force_pushes = excluded.allows_force_pushes,
      allows_deletions = excluded.allows_deletions, blocks_creations = excluded.blocks_creations,
      requires_conversation_resolution = excluded.requires_conversation_resolution, lock_branch = excluded.lock_branch,
      lock_allows_fetch_and_merge = excluded.lock_allows_fetch_and_merge, status_checks = excluded.status_checks,
      reviews = excluded.reviews, restrictions = excluded.restrictions`.execute(db);
}
