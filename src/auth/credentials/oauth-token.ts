import type { Actor } from '../actor.ts';
import { boundsOf, scopesWithin } from './bounds.ts';
import { actingUser, needed, type StoredToken } from './stored-token.ts';

/** A token of an OAuth app: acts for the user who authorized it, within the scopes they gave. */
export function oauthActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above, oauthAppId } = token;
  const own = {
    kind: 'oauth',
    id,
    lastEight,
    expiresAt,
    bounds: boundsOf(above),
    scopes: scopesWithin(token.scopes, above),
  } as const;
  return { ...actingUser(token, ip), credential: { ...own, oauthAppId: needed(oauthAppId) } };
}
