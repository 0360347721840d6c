import type { Actor } from '../actor.ts';
import { effectiveTokenScopes, inheritedBounds } from './inherited-bounds.ts';
import { assertColumn, type StoredToken, userActorBase } from './stored-token.ts';

/** A token of an OAuth app acts for the user who authorized it, within the scopes granted. */
export function oauthActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above, oauthAppId } = token;
  const own = {
    kind: 'oauth',
    id,
    lastEight,
    expiresAt,
    bounds: inheritedBounds(above),
    scopes: effectiveTokenScopes(token.scopes, above),
  } as const;
  return { ...userActorBase(token, ip), credential: { ...own, oauthAppId: assertColumn(oauthAppId) } };
}
