import type { RequestHeaders } from './http-messages.ts';
import { ProblemError } from './problem.ts';
import type { ProblemContext, VersionPolicy } from './product.ts';

/** Name of the header by which a request selects a version: the first one that it has. */
function usedHeader({ header, otherHeaders = [] }: VersionPolicy, headers: RequestHeaders): string {
  return [header, ...otherHeaders].find(name => (headers[name.toLowerCase()] ?? '') !== '') ?? header;
}

/** The version that a request selects; undefined if it names an unsupported one. */
export function selectVersion(policy: VersionPolicy, headers: RequestHeaders): string | undefined {
  const requested = headers[usedHeader(policy, headers).toLowerCase()];
  if (requested === undefined || requested === '') return policy.defaultVersion;
  return policy.supported.find(one => one === requested);
}

export function unsupportedVersionError(policy: VersionPolicy, headers: RequestHeaders): ProblemError {
  const name = usedHeader(policy, headers);
  return new ProblemError({ kind: 'header', name, reason: 'unsupported', value: String(headers[name.toLowerCase()]) });
}

/** The deprecation headers for callers of `version`, if a later version changes the operation. */
export function deprecationOf(
  policy: VersionPolicy,
  version: string,
  context: ProblemContext,
): ReturnType<VersionPolicy['deprecation']> {
  const { changedIn } = context.operation ?? {};
  return changedIn !== undefined && version < changedIn ? policy.deprecation(version, context) : undefined;
}
