import { compileWildcard } from '../../git/wildcard-pattern.ts';

/** Whether texts match a pattern of a ruleset; undefined for a pattern that is none. See `wildcardPattern`. */
export function fnmatch(
  pattern: string,
  options: { ignoreCase?: boolean } = {},
): ((text: string) => boolean) | undefined {
  return compileWildcard(pattern, options);
}
