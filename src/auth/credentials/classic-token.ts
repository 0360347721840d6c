import type { Actor } from '../actor.ts';
import { effectiveTokenScopes, inheritedBounds } from './inherited-bounds.ts';
import { type StoredToken, userActorBase } from './stored-token.ts';

/** A classic token acts for its user within its scopes; in an organization that enforces SSO it must be authorized first. */
export function classicActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above } = token;
  const bounds = inheritedBounds(above);
  const scopes = effectiveTokenScopes(token.scopes, above);
  const ssoOrganizations = token.ssoOrganizations.filter(one => bounds?.ssoOrganizations?.includes(one) ?? true);
  const own = { kind: 'classic', id, lastEight, expiresAt, bounds } as const;
  return { ...userActorBase(token, ip), credential: { ...own, scopes, ssoOrganizations } };
}
