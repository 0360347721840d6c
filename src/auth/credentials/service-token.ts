import type { Actor } from '../actor.ts';
import type { StoredToken } from './stored-token.ts';

/** The token of a program of the operator: no user, no repository, no permissions. */
export function serviceActor({ id, lastEight, expiresAt }: StoredToken, ip: string): Actor {
  return { kind: 'service', ip, credential: { kind: 'service', id, lastEight, expiresAt } };
}
