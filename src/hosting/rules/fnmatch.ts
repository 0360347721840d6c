import { compileWildcard } from '../../git/wildcard-pattern.ts';

/** Compiles a ruleset pattern; undefined for an invalid one. See `wildcardPattern`. */
export function fnmatch(
  pattern: string,
  options: { ignoreCase?: boolean } = {},
): ((text: string) => boolean) | undefined {
  return compileWildcard(pattern, options);
}
