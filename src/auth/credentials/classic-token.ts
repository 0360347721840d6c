import type { Actor } from '../actor.ts';
import { actingUser, type StoredToken } from './stored-token.ts';

/** A classic token: acts for its user within its scopes, in organizations with single sign-on once authorized for them. */
export function classicActor(token: StoredToken, ip: string): Actor {
  const { id, scopes, expiresAt, ssoOrganizations } = token;
  return { ...actingUser(token, ip), credential: { kind: 'classic', id, expiresAt, scopes, ssoOrganizations } };
}
