import type { Actor } from '../actor.ts';
import { boundsOf, permissionsBelow } from './bounds.ts';
import { actingUser, needed, type StoredToken } from './stored-token.ts';

/** A fine-grained token: acts for its user in repositories of one account, by permissions. The rest it sees as anybody. */
export function fineGrainedActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above, resourceOwnerId, selection } = token;
  const bounds = boundsOf(above);
  const permissions = permissionsBelow(token.permissions, bounds);
  const own = { kind: 'fine_grained', id, lastEight, expiresAt, bounds, permissions, selection } as const;
  return { ...actingUser(token, ip), credential: { ...own, resourceOwnerId: needed(resourceOwnerId) } };
}
