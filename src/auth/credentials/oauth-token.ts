import type { Actor } from '../actor.ts';
import { actingUser, needed, type StoredToken } from './stored-token.ts';

/** A token of an OAuth app: acts for the user who authorized it, within the scopes they gave. */
export function oauthActor(token: StoredToken, ip: string): Actor {
  const { id, scopes, expiresAt, oauthAppId } = token;
  const credential = { kind: 'oauth', id, expiresAt, scopes, oauthAppId: needed(oauthAppId) } as const;
  return { ...actingUser(token, ip), credential };
}
