import type { Actor } from '../actor.ts';
import { effectivePermissions, inheritedBounds } from './inherited-bounds.ts';
import { assertColumn, type StoredToken, userActorBase } from './stored-token.ts';

/** A token of an app for a user: the intersection of what the user and an installation of the app may do. */
export function userToServerActor(token: StoredToken, ip: string): Actor {
  const {
    id,
    lastEight,
    expiresAt,
    above,
    permissions,
    selection,
    appId,
    appPermissions,
    resourceOwnerId: ownerId,
  } = token;
  const bounds = inheritedBounds(above);
  const narrowed =
    ownerId === null ? null : { ownerId, selection, permissions: effectivePermissions(permissions, bounds) };
  return {
    ...userActorBase(token, ip),
    credential: {
      kind: 'user_to_server',
      id,
      lastEight,
      expiresAt,
      appId: assertColumn(appId),
      bounds,
      permissions: effectivePermissions(assertColumn(appPermissions), bounds),
      ceiling: narrowed?.permissions ?? bounds?.permissions ?? null,
      narrowed,
    },
  };
}
