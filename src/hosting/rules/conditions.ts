import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import type { MatchGroup, TextPattern } from './match-group.ts';
import type { PatternMatcher } from './pattern-matcher.ts';

/** Conditions of a ruleset, as stored and published. */
export interface Conditions {
  ref_name?: { include: readonly string[]; exclude: readonly string[] };
  repository_name?: { include: readonly string[]; exclude: readonly string[] };
  repository_id?: { repository_ids: readonly number[] };
}

/** The repository properties that conditions test. */
export interface RepositoryProperties {
  id: number;
  name: string;
  defaultBranch: string;
}

const refPrefixes: Record<Exclude<RulesetTargetValue, 'repository'>, string> = {
  branch: 'refs/heads/',
  tag: 'refs/tags/',
  push: 'refs/',
};

type RefConditions = { target: RulesetTargetValue; conditions: Conditions | null };

/**
 * Tests which rulesets apply to a ref, given by its full name. A result is undefined when matching took too long. Empty
 * include lists match nothing.
 */
export async function matchRefConditions(
  rulesets: readonly RefConditions[],
  ref: string,
  { defaultBranch }: Pick<RepositoryProperties, 'defaultBranch'>,
  matcher: Pick<PatternMatcher, 'match'>,
): Promise<(boolean | undefined)[]> {
  const matchKeyword = (pattern: string): boolean | undefined => {
    if (pattern === '~ALL') return true;
    return pattern === '~DEFAULT_BRANCH' ? ref === `refs/heads/${defaultBranch}` : undefined;
  };
  const refConditions = rulesets.map(({ target, conditions }): IncludeExclude | boolean => {
    if (target === 'repository' || !ref.startsWith(refPrefixes[target])) return false;
    // Push rulesets apply to every ref.
    return target === 'push' || (conditions?.ref_name ?? false);
  });
  return matchIncludeExclude(refConditions, { text: ref, matchKeyword, ignoreCase: false }, matcher);
}

/** Tests which organization rulesets apply to a repository. A result is undefined when matching took too long. */
export function matchRepositoryConditions(
  conditions: readonly (Conditions | null)[],
  { id, name }: RepositoryProperties,
  matcher: Pick<PatternMatcher, 'match'>,
): Promise<(boolean | undefined)[]> {
  const nameConditions = conditions.map((one): IncludeExclude | boolean => {
    if (one?.repository_id) return one.repository_id.repository_ids.includes(id);
    return one?.repository_name ?? false;
  });
  const matchKeyword = (pattern: string): boolean | undefined => (pattern === '~ALL' ? true : undefined);
  return matchIncludeExclude(nameConditions, { text: name, matchKeyword, ignoreCase: true }, matcher);
}

interface IncludeExclude {
  include: readonly string[];
  exclude: readonly string[];
}

interface MatchSubject {
  text: string;
  /** Result of a keyword such as `~ALL`; undefined when the text is a pattern. */
  matchKeyword(pattern: string): boolean | undefined;
  ignoreCase: boolean;
}

/** Tests whether a text matches `include` and not `exclude`. Matches all patterns in one call. */
async function matchIncludeExclude(
  conditions: readonly (IncludeExclude | boolean)[],
  { text, matchKeyword, ignoreCase }: MatchSubject,
  matcher: Pick<PatternMatcher, 'match'>,
): Promise<(boolean | undefined)[]> {
  const groups: MatchGroup[] = [];
  /** Undefined when a keyword already matches. */
  const groupOf = (list: readonly string[]): MatchGroup | undefined => {
    if (list.some(one => matchKeyword(one) === true)) return undefined;
    const globs = list.filter(one => matchKeyword(one) === undefined);
    const group = {
      patterns: globs.map((pattern): TextPattern => ({ operator: 'glob', pattern, ignoreCase })),
      texts: [text],
    };
    groups.push(group);
    return group;
  };
  const lists = conditions.map(one =>
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
