import type { RequestHeaders } from './http-messages.ts';
import { ProblemError } from './problem.ts';
import type { ProblemContext, VersionPolicy } from './product.ts';

/** The version that a request selects; undefined if it names an unsupported one. */
export function selectVersion(
  { header, supported, defaultVersion }: VersionPolicy,
  headers: RequestHeaders,
): string | undefined {
  const requested = headers[header.toLowerCase()];
  if (requested === undefined || requested === '') return defaultVersion;
  return supported.find(one => one === requested);
}

export function unsupportedVersionError({ header }: VersionPolicy, headers: RequestHeaders): ProblemError {
  const value = String(headers[header.toLowerCase()] ?? '');
  return new ProblemError({ kind: 'header', name: header, reason: 'unsupported', value });
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
