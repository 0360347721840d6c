import type { RequiredChecks } from '../../../schema/hosting/branch-protection-rule.ts';
import type { RenamedBranch } from '../../../schema/hosting/commit-documents.ts';
import type { Context } from '../../context/context.ts';
import { type ListSource, listed } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { isOid } from '../../git/object.ts';
import { statObject } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { listRefs } from '../../git/refs.ts';
import { openRepository } from '../../git/repository.ts';
import { encodePath } from '../contents/content-location.ts';
import { gitProblems } from '../git-problems.ts';
import { type BranchRules, branchKey, rulesOfBranches } from '../rulesets/branch-rules.queries.ts';
import { findRenamedBranch } from './former-branch-names.ts';
import { foundIn } from './git-lookups.queries.ts';
import type { GitPlace } from './git-place.ts';
import { findRef, type RefRow, refsOf } from './refs.queries.ts';

const prefix = 'refs/heads/';

/** Short name of a branch; undefined for another ref. */
export const branchName = ({ fullName }: Pick<RefRow, 'fullName'>): string | undefined =>
  fullName.startsWith(prefix) ? fullName.slice(prefix.length) : undefined;

const noRules: BranchRules = { rulesets: [], protectedBranch: null };

/** What applies to the branch; nothing for other refs. Those of one request are evaluated together. */
async function rulesOf(context: Context, ref: RefRow): Promise<BranchRules> {
  const name = branchName(ref);
  if (name === undefined) return noRules;
  return context.load(rulesOfBranches, noSelection).load(branchKey(ref.place.databaseId, name));
}

/** Whether the branch is protected, or an active rule of a ruleset applies to it. */
export async function isProtected(context: Context, ref: RefRow): Promise<boolean> {
  const { rulesets, protectedBranch } = await rulesOf(context, ref);
  return protectedBranch !== null || rulesets.some(({ rules }) => rules.length > 0);
}

/** The status checks that the protection of the branch requires. */
export async function requiredChecksOf(context: Context, ref: RefRow): Promise<RequiredChecks> {
  const { protectedBranch } = await rulesOf(context, ref);
  const checks = protectedBranch?.statusChecks?.checks;
  if (!checks) return { enforcementLevel: 'off', contexts: [], checks: [] };
  return {
    enforcementLevel: protectedBranch.isAdminEnforced ? 'everyone' : 'non_admins',
    contexts: checks.map(({ context: name }) => name),
    checks: checks.map(({ context: name, app_id }) => ({ context: name, appDatabaseId: app_id })),
  };
}

/** Branches whose protection is evaluated for one answer. */
const maxEvaluated = 1_000;

/** Branches by name; with `wanted`, those that are protected, or those that are not. @throws 422 for too many branches to evaluate */
export function branchesOf(context: Context, place: GitPlace, wanted: boolean | null | undefined): ListSource<RefRow> {
  if (wanted == null) return refsOf(context, place, { refPrefix: prefix });
  const choose = async (): Promise<RefRow[]> => {
    const store = openRepository(context, place.databaseId);
    const refs = await listRefs(store, { prefix, limit: maxEvaluated + 1 });
    if (refs.length > maxEvaluated) throw gitProblems.tooManyBranches(maxEvaluated);
    const all = refs.map(({ name, oid }) => ({ place, fullName: name, oid }));
    const flags = await Promise.all(all.map(one => isProtected(context, one)));
    return all.filter((_, at) => flags[at] === wanted);
  };
  return listed(choose);
}

/** @throws 404 */
export async function findBranch(context: Context, place: GitPlace, name: string): Promise<RefRow> {
  const found = await readBranch(context, place, name);
  if (!found) throw gitProblems.branchAbsentHere();
  return found;
}

const readBranch = async (context: Context, place: GitPlace, name: string): Promise<RefRow | null> =>
  isBranchName(name) ? findRef(context, place, [`${prefix}${name}`]) : null;

/** A branch, or where the branch is that had this name before. @throws 404 */
export async function findBranchOrRenamed(
  context: Context,
  place: GitPlace,
  name: string,
): Promise<(RefRow & { __typename: 'Ref' }) | (RenamedBranch & { __typename: 'RenamedBranch' })> {
  const found = await readBranch(context, place, name);
  if (found) return { ...found, __typename: 'Ref' };
  const newName = await findRenamedBranch(context, place.databaseId, name);
  if (newName === null) throw gitProblems.branchAbsentHere();
  const url = `${context.apiBaseUrl}/repos/${place.ownerLogin}/${place.name}/branches/${encodePath(newName)}`;
  return { __typename: 'RenamedBranch', newName, url };
}

/** Branches in one answer. */
const maxHeads = 100;

/** The branches whose tip is a commit, by name, at most 100. @throws 404, 409; 422 for no id */
export function branchesWithHead(context: Context, place: GitPlace, sha: string): ListSource<RefRow> {
  const find = async (): Promise<RefRow[]> => {
    const store = openRepository(context, place.databaseId);
    const oid = sha.toLowerCase();
    if (!isOid(oid)) throw gitProblems.invalidId('sha');
    await foundIn(store, await statObject(store, oid));
    const heads = await listRefs(store, { prefix, oid, limit: maxHeads });
    return heads.map(({ name }) => ({ place, fullName: name, oid }));
  };
  return listed(find);
}
