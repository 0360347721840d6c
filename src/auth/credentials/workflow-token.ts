import type { Actor } from '../actor.ts';
import { needed, type StoredToken } from './stored-token.ts';

/** The token of a run of workflow automation: one repository, by permissions, and nobody's account. */
export function workflowActor({ id, expiresAt, permissions, repositoryId }: StoredToken, ip: string): Actor {
  const credential = { kind: 'workflow', id, expiresAt } as const;
  return { kind: 'workflow', ip, repositoryId: needed(repositoryId), permissions, credential };
}
