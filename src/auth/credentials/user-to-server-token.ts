import type { Actor } from '../actor.ts';
import { actingUser, needed, type StoredToken } from './stored-token.ts';

/** A token of an app for a user: what both the user and an installation of the app may. */
export function userToServerActor(token: StoredToken, ip: string): Actor {
  const { id, expiresAt, permissions, selection, appId, appPermissions, resourceOwnerId: ownerId } = token;
  return {
    ...actingUser(token, ip),
    credential: {
      kind: 'user_to_server',
      id,
      expiresAt,
      appId: needed(appId),
      permissions: needed(appPermissions),
      narrowed: ownerId === null ? null : { ownerId, selection, permissions },
    },
  };
}
