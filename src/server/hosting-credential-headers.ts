import type { IncomingMessage } from 'node:http';
import type { HostingScope } from '../../schema/vocabulary/access.ts';
import type { Actor } from '../auth/actor.ts';
import { brandedHeaderName } from '../auth/brand-header.ts';
import { acceptedPermissions, hostingScopes, isHostingScope } from '../auth/hosting-scopes.ts';
import { omittedOrganizations, ssoHeader } from '../auth/sso.ts';

interface Caller {
  actor: Actor;
  words: readonly HostingScope[];
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Keeps who a request comes from and what its operation asks for, for the headers of whatever it is answered with. */
export function noteCaller(request: IncomingMessage, actor: Actor, words: ReadonlySet<string>): void {
  callers.set(request, { actor, words: [...words].filter(isHostingScope) });
}

/** Who a request comes from; undefined while nobody is known to ask, or the credential is no good. */
export function callerOf(request: IncomingMessage): Actor | undefined {
  return callers.get(request)?.actor;
}

/**
 * What an answer says of the credential and of what the operation needs. Nothing where the credential is no good: nobody is
 * known to ask then. Errors carry it too: whoever reads 404 can see which permission would have helped.
 */
export function hostingCredentialHeaders(request: IncomingMessage, brand: string): Record<string, string> {
  const caller = callers.get(request);
  if (!caller) return {};
  const { actor, words } = caller;
  const headers: Record<string, string> = {};
  const permissions = words.flatMap(word => acceptedPermissions(word) ?? []);
  if (permissions.length > 0) headers[brandedHeaderName(brand, 'X-Accepted-', 'Permissions')] = permissions.join(',');
  if (actor.kind === 'anonymous' || actor.kind === 'person' || !('credential' in actor)) return headers;
  const { credential } = actor;
  if ('scopes' in credential) {
    headers['X-OAuth-Scopes'] = credential.scopes.join(', ');
    headers['X-Accepted-OAuth-Scopes'] = [...new Set(words.flatMap(word => hostingScopes[word].tokenScopes))].join(
      ', ',
    );
  }
  if (credential.expiresAt !== null) {
    const until = new Date(credential.expiresAt).toISOString();
    headers[brandedHeaderName(brand, '', 'Authentication-Token-Expiration')] =
      `${until.slice(0, 10)} ${until.slice(11, 19)} UTC`;
  }
  const omitted = omittedOrganizations(actor);
  if (omitted.length > 0) headers[ssoHeader(brand)] = `partial-results; organizations=${omitted.join(',')}`;
  return headers;
}
