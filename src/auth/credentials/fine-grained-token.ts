import type { Actor } from '../actor.ts';
import { effectivePermissions, inheritedBounds } from './inherited-bounds.ts';
import { assertColumn, type StoredToken, userActorBase } from './stored-token.ts';

/** A fine-grained token acts for its user in repositories of one account, by permissions. Elsewhere it sees what is public. */
export function fineGrainedActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above, resourceOwnerId, selection } = token;
  const bounds = inheritedBounds(above);
  const permissions = effectivePermissions(token.permissions, bounds);
  const own = { kind: 'fine_grained', id, lastEight, expiresAt, bounds, permissions, selection } as const;
  return { ...userActorBase(token, ip), credential: { ...own, resourceOwnerId: assertColumn(resourceOwnerId) } };
}
