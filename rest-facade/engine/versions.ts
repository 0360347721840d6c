import type { IncomingHttpHeaders } from 'node:http';
import { Failed } from './failure.ts';
import type { Asked, Versions } from './product.ts';

/** The version that a request chooses; undefined when it names one that there is not. */
export function versionOf({ header, supported, fallback }: Versions, headers: IncomingHttpHeaders): string | undefined {
  const given = headers[header.toLowerCase()];
  if (given === undefined || given === '') return fallback;
  return supported.find(one => one === given);
}

export function unsupportedVersion({ header }: Versions, headers: IncomingHttpHeaders): Failed {
  const value = String(headers[header.toLowerCase()] ?? '');
  return new Failed({ kind: 'header', name: header, is: 'unsupported', value });
}

/** What callers of `version` are told about an operation that another version changes. */
export function closingOf(versions: Versions, version: string, asked: Asked): ReturnType<Versions['closing']> {
  const { changedIn } = asked.operation ?? {};
  return changedIn !== undefined && version < changedIn ? versions.closing(version, asked) : undefined;
}
