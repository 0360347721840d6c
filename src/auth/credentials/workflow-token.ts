import type { Actor } from '../actor.ts';
import { effectivePermissions, inheritedBounds } from './inherited-bounds.ts';
import { assertColumn, type StoredToken } from './stored-token.ts';

/** The token of a workflow run: one repository, by permissions, for no user. */
export function workflowActor(token: StoredToken, ip: string): Actor {
  const { id, lastEight, expiresAt, above, repositoryId } = token;
  const bounds = inheritedBounds(above);
  const permissions = effectivePermissions(token.permissions, bounds);
  const credential = { kind: 'workflow', id, lastEight, expiresAt, bounds } as const;
  return { kind: 'workflow', ip, repositoryId: assertColumn(repositoryId), permissions, credential };
}
