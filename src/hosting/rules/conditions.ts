import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import type { MatchGroup, TextPattern } from './match-group.ts';
import type { PatternMatcher } from './pattern-matcher.ts';

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

type AboutRefs = { target: RulesetTargetValue; conditions: Conditions | null };

/**
 * Whether each ruleset is about a ref, given by its full name; undefined where there was not enough time to find out. What
 * includes nothing is about nothing.
 */
export async function areAboutRef(
  rulesets: readonly AboutRefs[],
  ref: string,
  { defaultBranch }: Pick<JudgedRepository, 'defaultBranch'>,
  matcher: Pick<PatternMatcher, 'match'>,
): Promise<(boolean | undefined)[]> {
  const special = (pattern: string): boolean | undefined => {
    if (pattern === '~ALL') return true;
    return pattern === '~DEFAULT_BRANCH' ? ref === `refs/heads/${defaultBranch}` : undefined;
  };
  const asked = rulesets.map(({ target, conditions }): Lists | boolean => {
    if (target === 'repository' || !ref.startsWith(prefixes[target])) return false;
    // What is pushed is judged whatever ref it is pushed to.
    return target === 'push' || (conditions?.ref_name ?? false);
  });
  return areIncluded(asked, { text: ref, special, ignoreCase: false }, matcher);
}

/** Whether each ruleset of an organization is about one of its repositories; undefined where there was not enough time. */
export function areAboutRepository(
  conditions: readonly (Conditions | null)[],
  { id, name }: JudgedRepository,
  matcher: Pick<PatternMatcher, 'match'>,
): Promise<(boolean | undefined)[]> {
  const asked = conditions.map((one): Lists | boolean => {
    if (one?.repository_id) return one.repository_id.repository_ids.includes(id);
    return one?.repository_name ?? false;
  });
  const special = (pattern: string): boolean | undefined => (pattern === '~ALL' ? true : undefined);
  return areIncluded(asked, { text: name, special, ignoreCase: true }, matcher);
}

interface Lists {
  include: readonly string[];
  exclude: readonly string[];
}

interface Subject {
  text: string;
  /** What the words that are no patterns mean; undefined for a pattern. */
  special(pattern: string): boolean | undefined;
  ignoreCase: boolean;
}

/** Whether a text is in `include` and not in `exclude`. All patterns are matched together. */
async function areIncluded(
  asked: readonly (Lists | boolean)[],
  { text, special, ignoreCase }: Subject,
  matcher: Pick<PatternMatcher, 'match'>,
): Promise<(boolean | undefined)[]> {
  const groups: MatchGroup[] = [];
  /** Undefined: one of the words says so already. */
  const groupOf = (list: readonly string[]): MatchGroup | undefined => {
    if (list.some(one => special(one) === true)) return undefined;
    const globs = list.filter(one => special(one) === undefined);
    const group = {
      patterns: globs.map((pattern): TextPattern => ({ operator: 'glob', pattern, ignoreCase })),
      texts: [text],
    };
    groups.push(group);
    return group;
  };
  const lists = asked.map(one =>
    typeof one === 'boolean' ? one : { include: groupOf(one.include), exclude: groupOf(one.exclude) },
  );
  const found = await matcher.match(groups);
  const isIn = (group: MatchGroup | undefined): boolean | undefined =>
    group === undefined ? true : found[groups.indexOf(group)]?.[0];
  return lists.map(one => {
    if (typeof one === 'boolean') return one;
    const [included, excluded] = [isIn(one.include), isIn(one.exclude)];
    if (included === false || excluded === true) return false;
    return included === undefined || excluded === undefined ? undefined : true;
  });
}
