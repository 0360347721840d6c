import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { Bounds } from '../actor.ts';
import { hasScope, scopeNames } from '../hosting-words.ts';
import { commonScopes, lesser, permissionsWithin } from '../scope-coverage.ts';
import type { Above } from './stored-token.ts';

/** Bounds by the rows they were made from: a row is read once in five seconds and asked for in every request. */
const known = new WeakMap<readonly Above[], Bounds>();

/** What the credentials above a credential leave of it; undefined where none is above it. */
export function boundsOf(above: readonly Above[]): Bounds | undefined {
  if (above.length === 0) return undefined;
  const bounds = known.get(above) ?? madeOf(above);
  known.set(above, bounds);
  return bounds;
}

function madeOf(above: readonly Above[]): Bounds {
  // Who added the key of an app is no guest in the accounts that install it: their role and their sign-on do not count there.
  const acting = above.filter(({ via }) => via !== 'key');
  const classic = acting.filter(({ kind }) => kind === 'classic').map(one => one.ssoOrganizations);
  const [first, ...others] = classic;
  return {
    accountIds: [...new Set(acting.flatMap(({ accountId }) => accountId ?? []))],
    ssoOrganizations: first ? first.filter(id => others.every(list => list.includes(id))) : null,
    reachesPrivate: above.every(one => !hasScopes(one) || hasScope(one.scopes, ['repo'])),
    permissions: above.map(ceilingOf).reduce(lesserOf, null),
    depth: above.length,
  };
}

const lesserOf = (one: PermissionMap | null, other: PermissionMap | null): PermissionMap | null =>
  one && other ? lesser(one, other) : (one ?? other);

const hasScopes = ({ kind }: Above): boolean => kind === 'classic' || kind === 'oauth';

/** The permissions that one credential leaves to those below it; null where it bounds none. */
function ceilingOf(one: Above): PermissionMap | null {
  if (hasScopes(one)) return permissionsWithin(one.scopes);
  // What an app may for a user is decided by its installations, unless the token was narrowed to one of them.
  return one.kind === 'user_to_server' && one.resourceOwnerId === null ? null : one.permissions;
}

/** The scopes of a classic or OAuth token that all above it have as well. */
export function scopesWithin(scopes: readonly string[], above: readonly Above[]): readonly string[] {
  const others = above.filter(hasScopes).map(one => one.scopes);
  return others.length === 0 ? scopes : commonScopes(scopes, others, scopeNames);
}

/** The permissions of a token that all above it cover as well. */
export function permissionsBelow(permissions: PermissionMap, bounds: Bounds | undefined): PermissionMap {
  return bounds?.permissions ? lesser(permissions, bounds.permissions) : permissions;
}
