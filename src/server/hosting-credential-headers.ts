import { brandedHeaderName } from '../auth/brand-header.ts';
import { acceptedPermissions, hostingScopes, isHostingScope } from '../auth/hosting-scopes.ts';
import { ssoHeader } from '../auth/sso.ts';
import type { Context } from '../context/context.ts';

/** Of operations that need no permission of a fine-grained token or an app. */
const noPermission = 'allows_permissionless_access=true';

/**
 * Response headers about the credential and about the scopes that the operation accepts. Error responses have them, too: a
 * caller who gets 404 can see which permission is missing.
 * @param scopes access scopes that the operation accepts: see `PathScopes`
 */
export function hostingCredentialHeaders(
  { actor, omittedOrganizations }: Pick<Context, 'actor' | 'omittedOrganizations'>,
  scopes: ReadonlySet<string>,
  brand: string,
): Record<string, string> {
  const accepted = [...scopes].filter(isHostingScope);
  const headers: Record<string, string> = {};
  const permissions = accepted.flatMap(scope => acceptedPermissions(scope) ?? []);
  headers[brandedHeaderName(brand, 'X-Accepted-', 'Permissions')] =
    permissions.length > 0 ? permissions.join(',') : noPermission;
  if (actor.kind === 'anonymous' || actor.kind === 'person' || !('credential' in actor)) return headers;
  const { credential } = actor;
  if ('scopes' in credential) {
    headers['X-OAuth-Scopes'] = credential.scopes.join(', ');
    headers['X-Accepted-OAuth-Scopes'] = [...new Set(accepted.flatMap(one => hostingScopes[one].tokenScopes))].join(
      ', ',
    );
  }
  if (credential.expiresAt !== null) {
    const until = new Date(credential.expiresAt).toISOString();
    headers[brandedHeaderName(brand, '', 'Authentication-Token-Expiration')] =
      `${until.slice(0, 10)} ${until.slice(11, 19)} UTC`;
  }
  if (omittedOrganizations.size > 0) {
    headers[ssoHeader(brand)] = `partial-results; organizations=${[...omittedOrganizations].join(',')}`;
  }
  return headers;
}
