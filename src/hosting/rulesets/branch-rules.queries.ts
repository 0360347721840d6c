import type { Context } from '../../context/context.ts';
import { serviceUnavailable } from '../../errors/errors.ts';
import { matchRefConditions } from '../rules/conditions.ts';
import {
  type EnforcedRuleset,
  loadRulesetsForAll,
  type PushedRepository,
  patternMatcherFor,
} from '../rules/load-rulesets.ts';

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

/** DataLoader batch function: the active rulesets that apply to each branch, given by `branchKey`. */
export async function rulesetsOfBranches(
  { read }: Pick<Context, 'read'>,
  keys: readonly string[],
): Promise<(EnforcedRuleset[] | Error)[]> {
  const parsed = keys.map(key => ({ id: Number.parseInt(key, 10), branch: key.slice(key.indexOf(':') + 1) }));
  const found = await loadRulesetsForAll(read, [...new Set(parsed.map(({ id }) => id))]);
  return Promise.all(
    parsed.map(({ id, branch }) => {
      const ofRepository = found.get(id);
      return ofRepository ? rulesetsOfBranch(ofRepository, branch).catch((error: Error) => error) : [];
    }),
  );
}
