import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import { fnmatch } from './fnmatch.ts';

/** What a ruleset is about, as it is stored and published. */
export interface Conditions {
  ref_name?: { include: readonly string[]; exclude: readonly string[] };
  repository_name?: { include: readonly string[]; exclude: readonly string[] };
  repository_id?: { repository_ids: readonly number[] };
}

/** What is looked at of a repository. */
export interface JudgedRepository {
  id: number;
  name: string;
  defaultBranch: string;
}

const prefixes: Record<Exclude<RulesetTargetValue, 'repository'>, string> = {
  branch: 'refs/heads/',
  tag: 'refs/tags/',
  push: 'refs/',
};

/** Whether a ruleset is about a ref, given by its full name. What includes nothing is about nothing. */
export function isAboutRef(
  { target, conditions }: { target: RulesetTargetValue; conditions: Conditions | null },
  ref: string,
  { defaultBranch }: Pick<JudgedRepository, 'defaultBranch'>,
): boolean {
  if (target === 'repository' || !ref.startsWith(prefixes[target])) return false;
  // What is pushed is judged whatever ref it is pushed to.
  if (target === 'push') return true;
  const { include = [], exclude = [] } = conditions?.ref_name ?? {};
  const isMeant = (pattern: string): boolean => {
    if (pattern === '~ALL') return true;
    if (pattern === '~DEFAULT_BRANCH') return ref === `refs/heads/${defaultBranch}`;
    return fnmatch(pattern)?.(ref) ?? false;
  };
  return include.some(isMeant) && !exclude.some(isMeant);
}

/** Whether the ruleset of an organization is about one of its repositories. */
export function isAboutRepository(conditions: Conditions | null, { id, name }: JudgedRepository): boolean {
  const { repository_name: names, repository_id: ids } = conditions ?? {};
  if (ids) return ids.repository_ids.includes(id);
  if (!names) return false;
  const isMeant = (pattern: string): boolean =>
    pattern === '~ALL' || (fnmatch(pattern, { ignoreCase: true })?.(name) ?? false);
  return names.include.some(isMeant) && !names.exclude.some(isMeant);
}
