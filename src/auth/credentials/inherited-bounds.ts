import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { InheritedBounds } from '../actor.ts';
import { intersectPermissions, intersectTokenScopes, permissionsCoveredBy } from '../scope-coverage.ts';
import { hasTokenScope, tokenScopeNames } from '../token-scopes.ts';
import type { AncestorCredential } from './stored-token.ts';

/** Bounds by the cached rows that they were computed from: a row is read every five seconds and used in every request. */
const cache = new WeakMap<readonly AncestorCredential[], InheritedBounds>();

/** The bounds that a credential inherits from its ancestors; undefined when it has none. */
export function inheritedBounds(ancestors: readonly AncestorCredential[]): InheritedBounds | undefined {
  if (ancestors.length === 0) return undefined;
  const bounds = cache.get(ancestors) ?? computeBounds(ancestors);
  cache.set(ancestors, bounds);
  return bounds;
}

function computeBounds(ancestors: readonly AncestorCredential[]): InheritedBounds {
  // A user who added a key of the app need not be a member of the accounts that install it, so role and SSO of that user do not count.
  const acting = ancestors.filter(({ via }) => via !== 'key');
  const classic = acting.filter(({ kind }) => kind === 'classic').map(one => one.ssoOrganizations);
  const [first, ...others] = classic;
  return {
    accountIds: [...new Set(acting.flatMap(({ accountId }) => accountId ?? []))],
    ssoOrganizations: first ? first.filter(id => others.every(list => list.includes(id))) : null,
    reachesPrivate: ancestors.every(one => !hasTokenScopes(one) || hasTokenScope(one.scopes, ['repo'])),
    permissions: ancestors.map(maxPermissionsOf).reduce(intersectNullable, null),
    depth: ancestors.length,
  };
}

const intersectNullable = (one: PermissionMap | null, other: PermissionMap | null): PermissionMap | null =>
  one && other ? intersectPermissions(one, other) : (one ?? other);

const hasTokenScopes = ({ kind }: AncestorCredential): boolean => kind === 'classic' || kind === 'oauth';

/** The highest permissions that one credential passes on to its descendants; null when it bounds none. */
function maxPermissionsOf(one: AncestorCredential): PermissionMap | null {
  if (hasTokenScopes(one)) return permissionsCoveredBy(one.scopes);
  // The installations of an app decide its permissions for a user, unless the token was narrowed to one of them.
  return one.kind === 'user_to_server' && one.resourceOwnerId === null ? null : one.permissions;
}

/** The scopes of a classic or OAuth token, without those that an ancestor lacks. */
export function effectiveTokenScopes(
  scopes: readonly string[],
  ancestors: readonly AncestorCredential[],
): readonly string[] {
  const others = ancestors.filter(hasTokenScopes).map(one => one.scopes);
  return others.length === 0 ? scopes : intersectTokenScopes(scopes, others, tokenScopeNames);
}

/** The permissions of a token, lowered to what its ancestors cover. */
export function effectivePermissions(permissions: PermissionMap, bounds: InheritedBounds | undefined): PermissionMap {
  return bounds?.permissions ? intersectPermissions(permissions, bounds.permissions) : permissions;
}
