import type { IncomingHttpHeaders } from 'node:http';
import { ProblemError } from './problem.ts';
import type { ProblemContext, VersionPolicy } from './product.ts';

/** The version that a request chooses; undefined when it names one that there is not. */
export function selectVersion(
  { header, supported, fallback }: VersionPolicy,
  headers: IncomingHttpHeaders,
): string | undefined {
  const given = headers[header.toLowerCase()];
  if (given === undefined || given === '') return fallback;
  return supported.find(one => one === given);
}

export function unsupportedVersionError({ header }: VersionPolicy, headers: IncomingHttpHeaders): ProblemError {
  const value = String(headers[header.toLowerCase()] ?? '');
  return new ProblemError({ kind: 'header', name: header, is: 'unsupported', value });
}

/** What callers of `version` are told about an operation that another version changes. */
export function deprecationOf(
  versions: VersionPolicy,
  version: string,
  asked: ProblemContext,
): ReturnType<VersionPolicy['closing']> {
  const { changedIn } = asked.operation ?? {};
  return changedIn !== undefined && version < changedIn ? versions.closing(version, asked) : undefined;
}
