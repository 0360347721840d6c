import type { Actor } from '../actor.ts';
import { boundsOf, permissionsBelow } from './bounds.ts';
import { actingUser, needed, type StoredToken } from './stored-token.ts';

/** A token of an app for a user: what both the user and an installation of the app may. */
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
  const bounds = boundsOf(above);
  const narrowed = ownerId === null ? null : { ownerId, selection, permissions: permissionsBelow(permissions, bounds) };
  return {
    ...actingUser(token, ip),
    credential: {
      kind: 'user_to_server',
      id,
      lastEight,
      expiresAt,
      appId: needed(appId),
      bounds,
      permissions: permissionsBelow(needed(appPermissions), bounds),
      ceiling: narrowed?.permissions ?? bounds?.permissions ?? null,
      narrowed,
    },
  };
}
