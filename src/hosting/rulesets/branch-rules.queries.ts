import type { Context } from '../../context/context.ts';
import { serviceUnavailable } from '../../errors/errors.ts';
import { matchRefConditions } from '../rules/conditions.ts';
import {
  type EnforcedRuleset,
  loadRulesetsForAll,
  type PushedRepository,
  patternMatcherFor,
} from '../rules/load-rulesets.ts';
import { type ProtectedBranch, protectionsOfBranches } from '../rules/protected-branches.ts';

/** The active rulesets that apply to a branch. @throws 503 where their conditions take too long */
async function rulesetsOfBranch(
  { repository, rulesets }: { repository: PushedRepository; rulesets: EnforcedRuleset[] },
  branch: string,
): Promise<EnforcedRuleset[]> {
  const ref = `refs/heads/${branch}`;
  const active = rulesets.filter(one => one.enforcement === 'active');
  // No ref name is longer, and matching time grows with the length.
  const applies =
    Buffer.byteLength(ref) <= 255
      ? await matchRefConditions(active, ref, repository, patternMatcherFor(repository))
      : [];
  if (applies.includes(undefined))
    throw serviceUnavailable({ reason: 'patterns_slow' }, 'The conditions take too long to evaluate.');
  return active.filter((_, at) => applies[at] === true);
}

export const branchKey = (repositoryId: number, branch: string): string => `${repositoryId}:${branch}`;

/** What applies to a branch: active rulesets, and its own protection. */
export interface BranchRules {
  rulesets: readonly EnforcedRuleset[];
  protectedBranch: ProtectedBranch | null;
}

/** DataLoader batch function: what applies to each branch, given by `branchKey`. */
export async function rulesOfBranches(
  { read }: Pick<Context, 'read'>,
  keys: readonly string[],
): Promise<(BranchRules | Error)[]> {
  const parsed = keys.map(key => ({
    repositoryId: Number.parseInt(key, 10),
    branch: key.slice(key.indexOf(':') + 1),
  }));
  const found = await loadRulesetsForAll(read, [...new Set(parsed.map(({ repositoryId }) => repositoryId))]);
  const isProtected = [...found.values()].some(({ repository }) => repository.hasProtectedBranches);
  const protections = isProtected ? await protectionsOfBranches(read, parsed) : [];
  return Promise.all(
    parsed.map(async ({ repositoryId, branch }, at) => {
      const ofRepository = found.get(repositoryId);
      const protectedBranch = protections[at] ?? null;
      if (!ofRepository) return { rulesets: [], protectedBranch };
      return rulesetsOfBranch(ofRepository, branch).then(
        rulesets => ({ rulesets, protectedBranch }),
        (error: Error) => error,
      );
    }),
  );
}
